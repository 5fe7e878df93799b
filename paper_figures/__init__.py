"""The figures of the three source documents and of the studies beyond them, each as runs, numbers and drawing."""
