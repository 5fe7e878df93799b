"""Errata of Szefer (2001): the one table of what is printed, what is correct, why, and which test proves it.

`python tests/theory/errata_page.py` writes the table into docs/theory.md; a test compares the two.
"""

from dataclasses import astuple, dataclass


@dataclass(frozen=True)
class Row:
    """One erratum; the first four fields are GitHub markdown with $...$ mathematics, without a vertical bar."""

    where: str
    printed: str
    correct: str
    reason: str
    test: str


ROWS = (
    Row(
        "Remark after (2.1)",
        r"$x_0$ is the centre of mass",
        r"the centre of mass is $x_0 + QA/M$",
        r"if it is $x_0$, then $A = P = B \equiv 0$ and (3.4)1 reduces; they stay only for other frames",
        "test_x0_is_the_centre_of_mass_only_where_A_P_and_B_vanish",
    ),
    Row(
        "(2.3), (2.8), (2.9) as a closed system",
        r"they determine $x_0$, $\omega$ and $u$",
        "a frame condition (three scalar equations) is missing",
        "(2.3)1,₂ are the projections of (2.3)3 on the rigid modes; every other split solves the system too",
        "test_rigid_equations_are_projections_of_the_field_equation_so_that_a_frame_condition_is_missing",
    ),
    Row(
        "(2.11)",
        r"$x_0, \dot x_0, \omega, u, \dot u$ at $t_0$",
        r"$Q(t_0)$ as well; $u_0$ and $\bar v_0$ must satisfy the frame condition",
        r"the place depends on $\alpha(t_0)$; one velocity field allows many $(\dot x_0, \omega, \dot u)$",
        "test_initial_data_without_the_angle_and_a_frame_condition_leave_the_motion_or_the_split_open",
    ),
    Row(
        "(2.3)1,₂, (2.4), (2.5), (2.6)",
        r"$\ddot x_0 \times QA$, $M_0$, $M_0^C$ in space beside body terms; $Q$ twice in (2.5)",
        r"pull every term back once: $A \times Q^T\ddot x_0$, $\int r \times Q^T f$;"
        r" $F_u = Q[\omega\times(\omega\times A) + \dot\omega\times A + 2\omega\times P + B]$",
        r"the other terms are body components; $Q\dot\omega \times A$ must be read $Q(\dot\omega \times A)$",
        "test_spatial_terms_stand_beside_body_terms_and_Q_acts_twice_in_2_3_to_2_6",
    ),
    Row(
        "(2.3)2 Coriolis moment",
        r"$-2\omega \times K_0$",
        r"$2\int\rho r \times (\omega \times \dot u)"
        r" = -2\omega \times K_0 + 2\int\rho\dot u \times (\omega \times r)$",
        r"Jacobi's identity has two parts; in the plane the printed one vanishes, the missing one is $2\omega K$;"
        r" in space they are $\dot J\omega + \omega \times k$, $k = \langle r \times \dot u\rangle$",
        "test_coriolis_moment_lacks_its_second_part",
    ),
    Row(
        "(2.3)3, (3.4)2, (3.9), (3.10)",
        r"$\mathrm{Div} S(1 + \nabla^T u)$ equated with spatial accelerations",
        r"$\mathrm{Div}(FS) + \rho_R Q^T b = \rho_R Q^T a$, $F = 1 + \nabla u$",
        "$S F^T$ is the transpose of $FS$: it would need a divergence over the first index, against (2.10) and"
        " (3.4)2; and $S$ lives in the frame, accelerations in space",
        "test_divergence_of_F_S_balances_the_pulled_back_acceleration_and_body_force",
    ),
    Row(
        "(2.10)",
        r"$S(1 + \nabla^T u)N = p_R$",
        r"$F S N = Q^T p_R$",
        r"boundary term of $\int S : \delta E$; the traction is given in space",
        "test_traction_is_F_S_N_in_body_components",
    ),
    Row(
        "(3.1), (3.4)2, (3.5), (3.6), (3.11), case B",
        r"$\mu p_n$ used as a force per volume and per mass; resultants over $V_R$",
        r"$b = -\mu p_n v/(\rho h \lvert v\rvert)$; resultants over the area",
        r"$p_n$ is a force per area; the deceleration of a plate must fall with its thickness $h$",
        "test_friction_per_area_is_neither_a_force_per_volume_nor_per_mass",
    ),
    Row(
        "(3.1) at rest",
        r"$\lvert b\rvert = \mu p_n$ is known, also with $v_T = 0$",
        r"$\lvert t\rvert \le \mu p_n$ where $v = 0$: a reaction",
        r"$v/\lvert v\rvert$ has no value at 0; a body at rest under a smaller load needs a smaller force",
        "test_force_at_rest_is_a_disc_of_reactions_and_has_no_known_intensity",
    ),
    Row(
        "(3.2) $a_u$",
        r"centripetal rows with $\mathcal{A}c + \mathcal{B}s$ and $\mathcal{A}s - \mathcal{B}c$",
        r"$\mathcal{A}c - \mathcal{B}s$ and $\mathcal{A}s + \mathcal{B}c$",
        r"the acceleration is $-\omega^2 Q r$; every other line of (3.2) is right",
        "test_centripetal_acceleration_of_3_2_points_along_minus_Qr",
    ),
    Row(
        "(3.4)1 mass matrix (1,3)",
        "$-A_x s + A_y c$",
        "$-A_x s - A_y c$",
        r"first component of $QJA$",
        "test_mass_matrix_entry_1_3_has_minus_A_y_cos",
    ),
    Row(
        "(2.3)2, (2.4), (2.6), (3.3), (3.5), (3.13): $L$, $M$; row 3 of (3.4)1",
        r"moments as $f \times r$ while $J_{zz}\dot\omega$ keeps its plus sign; (3.14) mixes both",
        r"$r \times f$ throughout; the mass matrix is then symmetric",
        "no common sign turns the printed row into the derived one",
        "test_moments_of_inertia_and_load_need_one_convention_and_then_the_mass_matrix_is_symmetric",
    ),
    Row(
        "(3.4)1 Coriolis row 2",
        r"$-2(P_x c - P_y s)\omega$",
        r"$+2(P_x c - P_y s)\omega$",
        r"second component of $2\omega QJP$",
        "test_coriolis_force_of_row_2_has_the_sign_of_row_1",
    ),
    Row(
        "(3.4)1 Coriolis row 3, (3.3)",
        r"0, because $K_0 \parallel \omega$",
        r"$2\omega K = \dot J_{zz}\omega$, $K = \int\rho r\cdot\dot u$, one more integral in (3.3)",
        "without it a free spinning body does not conserve angular momentum",
        "test_coriolis_moment_is_2_omega_K_and_K_is_half_the_rate_of_J_zz",
    ),
    Row(
        "(3.4)1 centrifugal rows",
        "$-A_x c - A_y s$ and $-A_x s + A_y c$",
        "$-(A_x c - A_y s)$ and $-(A_x s + A_y c)$",
        r"$-\omega^2 QA$; the same swap as in (3.2)",
        "test_centrifugal_forces_point_along_QA",
    ),
    Row(
        "Line after (3.4)",
        r"$\dot q^2$ means $\dot q^T\dot q$",
        r"$\dot q^2$ is componentwise, $(\dot x_0^2, \dot y_0^2, \omega^2)$",
        "the product is one number: no force vector, and a force without spin",
        "test_q_dot_squared_is_componentwise_and_not_the_product_of_q_dot_with_itself",
    ),
    Row(
        "(3.4)2 divergence, first row",
        "$S_{xy}u_{y,y}$ and $S_{yy}u_{y,y}$",
        "$S_{xy}u_{x,y}$ and $S_{yy}u_{x,y}$",
        "first row of $FS$; the second row is right",
        "test_first_row_of_3_4_is_that_of_F_S",
    ),
    Row(
        "(3.5) $r_y$",
        r"$\mathcal{A}s - \mathcal{B}c$",
        r"$\mathcal{A}s + \mathcal{B}c$",
        "second component of $Qr$",
        "test_arm_r_y_of_3_5_is_the_second_component_of_Qr",
    ),
    Row(
        "(3.6) left",
        r"$S\Delta H + \Delta S(1 + H)$",
        r"$\Delta(FS) = \Delta H S + (1 + H)\Delta S$",
        "the product does not commute; the printed form is not the increment of $S(1 + H^T)$ either",
        "test_increment_of_F_S_has_the_gradient_on_the_left",
    ),
    Row(
        "(3.6) right",
        r"$\rho_R\Delta a$ and $\Delta b$ in space, $\Delta b$ without density",
        r"$\rho_R Q^T(\Delta a - \Delta\alpha Ja)$, and likewise $\rho_R Q^T(\Delta b - \Delta\alpha Jb)$",
        r"the increment of $Q^T a$ contains $\Delta Q^T$; $b$ is per mass in (2.3)3 and (3.7)",
        "test_increment_of_the_right_hand_side_turns_with_the_frame_and_carries_the_density",
    ),
    Row(
        "(3.9) to (3.11)",
        r"$1 + \Delta u^T$; (3.10) without a condition on $F_C$",
        r"$F = 1 + \nabla u$; case A holds only if $F_C$ does not react to $b$",
        r"$\Delta u$ is no gradient; a support answers with $F_C = F_u - Mb$, and $b$ is back",
        "test_deformation_gradient_is_1_plus_grad_u_and_case_A_needs_a_force_that_does_not_react",
    ),
    Row(
        "(3.13), (3.15) row 3",
        r"$u_x \equiv 0$ with an inextensible axis",
        r"to second order in $w$: $u_x = -\tfrac12\int_0^X w'^2$, hence"
        r" $J_{zz} = \rho A[\ell^3/12 + \int (w^2 - X\int_0^X w'^2)]$ and $K = \dot J_{zz}/2$",
        r"$\int w^2$ alone is half of the second-order part: a small rigid turn $w = \theta X$ would change $J_{zz}$",
        "test_inertia_of_the_deflection_to_second_order_includes_the_foreshortening",
    ),
    Row(
        "(3.14)",
        "moment arms $X$ only",
        "$r = (X, w)$, moments $X f_y - w f_x$ in body components",
        "axial forces act on the arm $w$",
        "test_moment_arms_of_3_14_are_X_and_w",
    ),
    Row(
        "(3.15) row 1",
        r"$+A_y(\ddot\alpha c - \dot\alpha^2 s)$",
        r"$M\ddot x_0 - A_y(\ddot\alpha c - \dot\alpha^2 s) - 2P_y\dot\alpha c - B_y s = F_x$",
        r"(3.4)1 with $A_x = P_x = B_x = 0$",
        "test_row_1_of_3_15_has_A_y_with_a_minus_sign",
    ),
    Row(
        "(3.15) row 2",
        r"$+A_y(\ddot\alpha s - \dot\alpha^2 c) + 2P_y\dot\alpha s$",
        r"$M\ddot y_0 - A_y(\ddot\alpha s + \dot\alpha^2 c) - 2P_y\dot\alpha s + B_y c = F_y$",
        "the same",
        "test_row_2_of_3_15_has_A_y_and_P_y_with_minus_signs",
    ),
    Row(
        "(3.15) row 3",
        r"$\rho b L^3/12\ddot\alpha + A_y(\ddot x_0 c + \ddot y_0 s) + L_{0z}$",
        r"$(\rho A\ell^3/12 + \rho A\int w^2)\ddot\alpha - A_y(\ddot x_0 c + \ddot y_0 s)"
        r" + 2\dot\alpha\rho A\int w\dot w + \rho A\int X\ddot w = M_z$",
        "section $A = bh$, one moment convention, inertia and Coriolis moment of $w$, all for $u = (0, w)$",
        "test_row_3_of_3_15_has_the_inertia_of_the_deflection_and_its_coriolis_moment",
    ),
    Row(
        "(3.16)",
        r"$x$ lacks $Q$; $\dot x_0, \dot y_0, \ddot x_0, \ddot y_0$ beside body terms",
        r"$x = x_0 + Q(X, w)$; components of $Q^T\dot x_0$ and $Q^T\ddot x_0$",
        r"$Q^T\ddot x_0$ is not the rate of $Q^T\dot x_0$",
        "test_velocity_and_acceleration_of_3_16_are_body_components",
    ),
    Row(
        "(3.17) to (3.19) width",
        r"$\mu p_n$",
        r"$b\mu p_n$",
        "the beam equation is per length; (3.14) has the factor",
        "test_friction_on_the_beam_is_per_length_with_the_width_as_a_factor",
    ),
    Row(
        "(3.17) to (3.19) direction",
        r"$\mathrm{sgn} V_y$",
        r"$V_y/\lvert V\rvert$",
        r"equal only where $V_x = 0$",
        "test_lateral_friction_is_V_y_over_the_speed_and_sgn_only_without_axial_velocity",
    ),
    Row(
        "(3.17), (3.18) axial force",
        r"$\rho A\omega^2 w$ without $(Nw')'$",
        r"$EJw'''' = p_t - b\mu p_n V_y/\lvert V\rvert - \rho A a_y + (Nw')'$,"
        r" $N' = \rho A a_x - f_x$, $N(\pm\ell/2) = 0$",
        r"the same order: for $w = \theta X$ at constant $\omega$ the two cancel, as they must",
        "test_beam_equation_keeps_the_axial_force_with_the_centrifugal_term_of_the_same_order",
    ),
)


def markdown() -> str:
    """The table as GitHub markdown, test names included."""
    lines = ["| where | printed | correct | why | test |", "|---|---|---|---|---|"]
    for row in ROWS:
        *text, test = astuple(row)
        lines.append("| " + " | ".join([*text, f"`{test}`"]) + " |")
    return "\n".join(lines)
