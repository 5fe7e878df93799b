// Shows a run: the body, coloured by a field, and the forces on its nodes by a scene (plane.js or space.js), and curves with a cursor.
// The data stand in #data.
(() => {
  const run = JSON.parse(document.getElementById("data").textContent);
  const element = (id) => document.getElementById(id);
  const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#888888"];
  const PLAIN = "#CFE6F5", INK = "#1a1a1a", SOFT = "#666", GRID = "#ececec";
  const NO_VALUE = 65535, WHOLE = 8;  // seconds that the whole motion takes at the middle rate

  // ---- arrays ----
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
  const packed = (source) => source && { ...source, values: new Uint16Array(bytes(source.values)) };
  const at = (field, index) => {
    const value = field.values[index];
    return value === NO_VALUE ? NaN : field.low + field.step * value;
  };
  const times = run.times, frames = times.length;
  const moved = packed(run.moved), friction = packed(run.friction), arms = packed(run.arms);
  const bodyX = new Float32Array(bytes(run.body.X)), nodeX = new Float32Array(bytes(run.nodes.X));
  const cells = run.body.cells, nodeCells = run.nodeCells;
  const corners = cells.length ? cells[0].length : 0;
  const maps = Object.fromEntries(Object.entries(run.maps).map(([name, text]) => [name, new Uint8Array(bytes(text))]));
  const fields = run.fields.map(packed);
  const cellsOfNode = Array.from({ length: run.nodes.count }, () => []);
  nodeCells.forEach((cell, number) => cell.forEach((node) => cellsOfNode[node].push(number)));

  // ---- state ----
  const state = { frame: 0, field: null, factor: run.enlargement, playing: false, rate: 1, arrows: Boolean(friction), mesh: false };
  const view = { x: 0, y: 0, sx: 1, sy: 1, moved: false };
  let hovered = -1;

  const number = (value) => {
    if (!Number.isFinite(value)) return "–";
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e5 || size < 1e-3) return value.toExponential(2).replace("e+", "e").replace("-", "−").replace("e-", "e−");
    return String(Number(value.toPrecision(4))).replace("-", "−");
  };
  const withUnit = (value, unit) => number(value) + (unit && unit !== "1" ? " " + unit : "");

  // ---- the view: places in the picture, m, to pixels ----
  const canvas = element("body"), pen = canvas.getContext("2d");
  const plot = () => ({ width: canvas.clientWidth - scene.margin.left - scene.margin.right, height: canvas.clientHeight - scene.margin.top - scene.margin.bottom });
  const toPixel = ([x, y]) => {
    const { width, height } = plot();
    return [scene.margin.left + width / 2 + (x - view.x) * view.sx, scene.margin.top + height / 2 - (y - view.y) * view.sy];
  };
  function fit() {
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
    for (const place of scene.extent())
      for (const axis of [0, 1]) {
        low[axis] = Math.min(low[axis], place[axis]);
        high[axis] = Math.max(high[axis], place[axis]);
      }
    const pad = 0.06 * Math.max(high[0] - low[0], high[1] - low[1], 1e-12);
    const span = [0, 1].map((axis) => high[axis] - low[axis]);
    const slender = scene.stretches && Math.max(...span) > 6 * Math.min(...span);
    const { width, height } = plot();
    const room = span.map((size) => size + (slender ? 0.16 * Math.max(size, 0.02 * Math.max(...span)) : 2 * pad));
    view.sx = width / room[0];
    view.sy = height / room[1];
    if (!slender) view.sx = view.sy = Math.min(view.sx, view.sy);
    [view.x, view.y] = [0, 1].map((axis) => 0.5 * (low[axis] + high[axis]));
    view.moved = false;
    element("reset").hidden = true;
  }
  function ticks(low, high, most) {
    const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
    const found = [];
    for (let k = Math.ceil(low / step); k * step <= high; k += 1) found.push(k * step);
    return found.map((value) => (Math.abs(value) < 1e-9 * step ? 0 : value));
  }
  const font = (context) => { context.font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif"; };
  function sized(target, context) {
    const ratio = window.devicePixelRatio || 1;
    target.width = Math.round(target.clientWidth * ratio);
    target.height = Math.round(target.clientHeight * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    font(context);
  }

  // ---- colours ----
  const stateOf = (value) => (value > 0.5 ? "sticks" : value > -0.5 ? "slips" : "open");
  const mapColour = (field, value) => {
    if (!Number.isFinite(value)) return "#dddddd";
    if (field.states) return run.states[stateOf(value)];
    const map = maps[field.signed ? "signed" : "sequential"];
    const [low, high] = range(field);
    const level = Math.round(255 * Math.min(1, Math.max(0, high > low ? (value - low) / (high - low) : 0)));
    return `rgb(${map[3 * level]},${map[3 * level + 1]},${map[3 * level + 2]})`;
  };
  function range(field) {
    const largest = Math.max(Math.abs(field.low), Math.abs(field.high));
    return field.signed ? [-largest, largest] : [Math.min(field.low, 0), field.high];
  }
  function mean(field, indices, frame) {
    const start = frame * (field.onNodes ? run.nodes.count : nodeCells.length);
    let sum = 0, count = 0;
    for (const index of indices) {
      const value = at(field, start + index);
      if (Number.isFinite(value)) { sum += value; count += 1; }
    }
    return count ? sum / count : NaN;
  }
  const cellValue = (field, cell, frame) => mean(field, field.onNodes ? nodeCells[cell] : [cell], frame);
  const nodeValue = (field, point, frame) => mean(field, field.onNodes ? [point] : cellsOfNode[point], frame);
  const cellColour = (cell) => (state.field ? mapColour(state.field, cellValue(state.field, cell, state.frame)) : PLAIN);

  const scene = makeScene({
    run, pen, view, state, fit, plot, toPixel, ticks, number, at, fields, moved, friction, arms, bodyX, nodeX, cells, corners, COLOURS, PLAIN,
    INK, SOFT, GRID, mapColour, cellColour, nodeValue,
  });
  const node = scene.node;
  function draw() {
    sized(canvas, pen);
    pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    scene.drawUnder(state.frame);
    const { width, height } = plot();
    pen.save();
    pen.beginPath();
    pen.rect(scene.margin.left, scene.margin.top, width, height);
    pen.clip();
    scene.draw(state.frame);
    if (hovered >= 0) {
      const [x, y] = toPixel(node(hovered, state.frame));
      pen.strokeStyle = INK;
      pen.lineWidth = 1.5;
      pen.beginPath(); pen.arc(x, y, 5, 0, 2 * Math.PI); pen.stroke();
    }
    pen.restore();
    if (hovered >= 0) showTip();
    element("time").value = state.frame;
    element("clock").textContent = `t = ${number(times[state.frame])} s`;
    panels.forEach((panel) => panel.cursor(times[state.frame]));
  }

  // ---- what a node has ----
  function nearest(x, y) {
    let best = -1, distance = 24;
    for (let point = 0; point < run.nodes.count; point += 1) {
      const place = toPixel(node(point, state.frame)), away = Math.hypot(place[0] - x, place[1] - y);
      if (away < distance) [best, distance] = [point, away];
    }
    return best;
  }
  const tuple = (values) => `(${Array.from(values, number).join(", ")})`;
  function showTip() {
    const tip = element("tip"), frame = state.frame, axes = nodeX.length / run.nodes.count;
    const X = nodeX.subarray(axes * hovered, axes * (hovered + 1));
    const lines = [`node ${hovered}`, `X = ${tuple(X)} m`, `x = ${tuple(scene.placeOf(hovered, frame))} m`];
    for (const field of fields) {
      const value = nodeValue(field, hovered, frame);
      lines.push(field.states ? stateOf(value) : `${field.label}: ${withUnit(value, field.unit)}`);
    }
    if (friction) lines.push(`${run.forceName}: ${tuple(scene.force(hovered, frame))} N`);
    tip.textContent = lines.join("\n");
    tip.hidden = false;
    const [x, y] = toPixel(node(hovered, frame));
    tip.style.left = Math.max(0, x + 14 + tip.offsetWidth > canvas.clientWidth ? x - 14 - tip.offsetWidth : x + 14) + "px";
    tip.style.top = Math.max(0, Math.min(y + 10, canvas.clientHeight - tip.offsetHeight)) + "px";
  }
  function hover(event) {
    const box = canvas.getBoundingClientRect();
    hovered = nearest(event.clientX - box.left, event.clientY - box.top);
    element("tip").hidden = hovered < 0;
    draw();
  }

  // ---- curves ----
  function makePanel(curve) {
    const panel = document.createElement("div"), title = document.createElement("h2");
    const target = document.createElement("canvas"), legend = document.createElement("div");
    panel.className = "panel";
    legend.className = "legend";
    title.textContent = curve.unit === "1" ? curve.title : `${curve.title} [${curve.unit}]`;
    const values = curve.lines.map((entry, k) => {
      const item = document.createElement("span"), dash = document.createElement("i"), text = document.createElement("b");
      dash.style.borderColor = COLOURS[k % COLOURS.length];
      text.style.fontWeight = "400";
      item.append(dash, text);
      legend.append(item);
      return text;
    });
    panel.append(title, target, legend);
    element("curves").append(panel);
    const ink = target.getContext("2d"), still = document.createElement("canvas"), t = curve.times;
    const numbers = curve.lines.flatMap((entry) => entry.values).filter((value) => value !== null);
    let low = Math.min(0, ...[numbers.reduce((a, b) => Math.min(a, b), 0)]), high = numbers.reduce((a, b) => Math.max(a, b), 0);
    if (high === low) high = low + 1;
    const edge = { left: 54, right: 14, top: 6, bottom: 20 };
    const place = (time, value) => [
      edge.left + ((time - t[0]) / (t[t.length - 1] - t[0] || 1)) * (target.clientWidth - edge.left - edge.right),
      edge.top + (1 - (value - low) / (high - low)) * (target.clientHeight - edge.top - edge.bottom),
    ];
    function redraw() {
      sized(target, ink);
      ink.clearRect(0, 0, target.clientWidth, target.clientHeight);
      ink.lineWidth = 1;
      ink.fillStyle = SOFT;
      ink.strokeStyle = GRID;
      ink.textAlign = "right";
      ink.textBaseline = "middle";
      for (const value of ticks(low, high, 4)) {
        const [, y] = place(t[0], value);
        ink.beginPath(); ink.moveTo(edge.left, y); ink.lineTo(target.clientWidth - edge.right, y); ink.stroke();
        ink.fillText(number(value), edge.left - 5, y);
      }
      ink.textAlign = "center";
      ink.textBaseline = "top";
      for (const time of ticks(t[0], t[t.length - 1], 5)) ink.fillText(number(time), place(time, low)[0], target.clientHeight - edge.bottom + 5);
      ink.textAlign = "left";
      ink.fillText("t [s]", 4, target.clientHeight - edge.bottom + 5);
      curve.lines.forEach((entry, k) => {
        ink.strokeStyle = COLOURS[k % COLOURS.length];
        ink.lineWidth = 1.6;
        ink.beginPath();
        let down = false;
        entry.values.forEach((value, n) => {
          if (value === null) { down = false; return; }
          ink[down ? "lineTo" : "moveTo"](...place(t[n], value));
          down = true;
        });
        ink.stroke();
      });
      still.width = target.width;
      still.height = target.height;
      if (target.width && target.height) still.getContext("2d").drawImage(target, 0, 0);
    }
    function cursor(time) {
      if (!target.width || !target.height) return;
      ink.save();
      ink.setTransform(1, 0, 0, 1, 0, 0);
      ink.clearRect(0, 0, target.width, target.height);
      ink.drawImage(still, 0, 0);
      ink.restore();
      const x = place(time, 0)[0];
      ink.strokeStyle = INK;
      ink.lineWidth = 1;
      ink.beginPath(); ink.moveTo(x, edge.top); ink.lineTo(x, target.clientHeight - edge.bottom); ink.stroke();
      const n = Math.max(0, before(t, time));
      curve.lines.forEach((entry, k) => {
        const value = entry.values[n];
        values[k].textContent = `${entry.label} ${value === null ? "–" : number(value)}`;
        if (value === null) return;
        const [px, py] = place(t[n], value);
        ink.fillStyle = COLOURS[k % COLOURS.length];
        ink.beginPath(); ink.arc(px, py, 3, 0, 2 * Math.PI); ink.fill();
      });
    }
    const seek = (event) => {
      const box = target.getBoundingClientRect(), width = box.width - edge.left - edge.right;
      const share = Math.min(1, Math.max(0, (event.clientX - box.left - edge.left) / width));
      setFrame(closest(t[0] + share * (t[t.length - 1] - t[0])));
    };
    target.addEventListener("pointerdown", (event) => { target.setPointerCapture(event.pointerId); stop(); seek(event); });
    target.addEventListener("pointermove", (event) => { if (event.buttons) seek(event); });
    return { redraw, cursor };
  }
  function before(sorted, value) {  // the last index whose value is not beyond
    let low = 0, high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] <= value + 1e-12 * Math.abs(value)) low = middle + 1; else high = middle;
    }
    return low - 1;
  }
  function closest(time) {
    const k = Math.max(0, before(times, time));
    return k + 1 < frames && times[k + 1] - time < time - times[k] ? k + 1 : k;
  }

  // ---- playing ----
  let started = 0, startTime = 0;
  const perSecond = () => ((times[frames - 1] - times[0]) / WHOLE) * state.rate;
  function tick(now) {
    if (!state.playing) return;
    const time = startTime + ((now - started) / 1000) * perSecond();
    const frame = Math.min(frames - 1, Math.max(0, before(times, time)));
    if (frame !== state.frame) { state.frame = frame; draw(); }
    if (time >= times[frames - 1]) { stop(); return; }
    requestAnimationFrame(tick);
  }
  function play() {
    if (frames < 2) return;
    if (state.frame === frames - 1) state.frame = 0;
    state.playing = true;
    started = performance.now();
    startTime = times[state.frame];
    element("play").textContent = "❚❚";
    element("play").setAttribute("aria-label", "pause");
    requestAnimationFrame(tick);
  }
  function stop() {
    state.playing = false;
    element("play").textContent = "▶";
    element("play").setAttribute("aria-label", "play");
  }
  function setFrame(frame) {
    state.frame = Math.min(frames - 1, Math.max(0, Math.round(frame)));
    draw();
  }

  // ---- the colour bar ----
  function showBar() {
    const bar = element("bar"), field = state.field;
    bar.hidden = !field;
    if (!field) return;
    const label = element("barLabel"), scale = element("barScale"), marks = element("barTicks");
    bar.classList.toggle("states", field.states);
    scale.hidden = marks.hidden = field.states;
    label.textContent = field.states || field.unit === "1" ? field.label : `${field.label} [${field.unit}]`;
    if (field.states) {
      for (const [name, colour] of Object.entries(run.states)) {
        const swatch = document.createElement("span");
        swatch.className = "swatch";
        swatch.style.background = colour;
        label.append(swatch, name);
      }
      return;
    }
    const [low, high] = range(field), ink = scale.getContext("2d");
    for (let k = 0; k < 256; k += 1) {
      ink.fillStyle = mapColour(field, low + ((high - low) * k) / 255);
      ink.fillRect(k, 0, 1, 12);
    }
    marks.replaceChildren(...[0, 0.25, 0.5, 0.75, 1].map((share) => {
      const mark = document.createElement("span");
      mark.textContent = number(low + share * (high - low));
      return mark;
    }));
  }

  // ---- controls ----
  const option = (value, text, chosen) => new Option(text, value, chosen, chosen);
  const chosenField = (key) => fields.find((field) => field.key === key) || null;
  element("title").textContent = run.title.replaceAll("_", " ");
  element("about").textContent = run.about;
  element("notes").hidden = !run.notes.length;
  element("notes").replaceChildren(...run.notes.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
  element("parameters").replaceChildren(...Object.entries(run.parameters).map(([key, value]) => {
    const row = document.createElement("tr");
    for (const text of [key, value === null ? "none" : String(value)]) row.insertCell().textContent = text;
    return row;
  }));
  element("field").append(option("none", "none", false), ...fields.map((field) => option(field.key, field.label, false)));
  state.field = chosenField(run.first);
  element("field").value = state.field ? state.field.key : "none";
  element("field").addEventListener("change", (event) => { state.field = chosenField(event.target.value); showBar(); draw(); });
  const whole = times[frames - 1] - times[0];
  element("rate").append(...[1 / 8, 1 / 4, 1 / 2, 1, 2, 4].map((rate) => option(rate, `${number((whole / WHOLE) * rate)} s per s`, rate === 1)));
  element("rate").addEventListener("change", (event) => {
    state.rate = Number(event.target.value);
    started = performance.now();
    startTime = times[state.frame];
  });
  const factors = [...new Set([1, 2, 5, 10, 20, 50, 100, 1000, run.enlargement])].sort((a, b) => a - b);
  element("scale").append(...factors.map((factor) => option(factor, factor === 1 ? "true" : `× ${factor}`, factor === run.enlargement)));
  element("scale").addEventListener("change", (event) => { state.factor = Number(event.target.value); fit(); draw(); });
  element("arrowsLabel").hidden = !friction;
  element("arrowsName").textContent = `${run.forceName}s`;
  element("scaleLabel").hidden = !scene.magnifies;
  element("viewLabel").hidden = !scene.views;
  element("angle").append(...Object.keys(scene.views || {}).map((name, k) => option(name, name, k === 0)));
  element("angle").addEventListener("change", (event) => { scene.turn(...scene.views[event.target.value]); fit(); draw(); });
  element("arrows").addEventListener("change", (event) => { state.arrows = event.target.checked; draw(); });
  element("mesh").addEventListener("change", (event) => { state.mesh = event.target.checked; draw(); });
  element("time").max = frames - 1;
  element("time").addEventListener("input", (event) => { stop(); setFrame(Number(event.target.value)); });
  element("play").addEventListener("click", () => (state.playing ? stop() : play()));
  element("reset").addEventListener("click", () => { fit(); draw(); });
  document.addEventListener("keydown", (event) => {
    if (["INPUT", "SELECT", "BUTTON", "SUMMARY"].includes(event.target.tagName)) return;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) { stop(); setFrame(state.frame + step); }
    else if (event.key === " ") { if (state.playing) stop(); else play(); }
    else return;
    event.preventDefault();
  });
  let held = null;
  canvas.addEventListener("pointerdown", (event) => {
    held = { x: event.clientX, y: event.clientY, view: { ...view } };
    if (event.pointerType === "mouse") canvas.setPointerCapture(event.pointerId);
    else hover(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (held && event.buttons && scene.drag(event, held)) {
      element("reset").hidden = !view.moved;
      draw();
    } else hover(event);
  });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointerleave", () => { held = null; hovered = -1; element("tip").hidden = true; draw(); });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect(), { width, height } = plot(), factor = Math.exp(-0.0015 * event.deltaY);
    const px = event.clientX - box.left - scene.margin.left - width / 2, py = event.clientY - box.top - scene.margin.top - height / 2;
    view.x += (px / view.sx) * (1 - 1 / factor);
    view.y -= (py / view.sy) * (1 - 1 / factor);
    view.sx *= factor;
    view.sy *= factor;
    view.moved = true;
    element("reset").hidden = false;
    draw();
  }, { passive: false });

  const panels = run.curves.map(makePanel);
  function resize() {
    if (!view.moved) fit();
    panels.forEach((panel) => panel.redraw());
    draw();
  }
  window.addEventListener("resize", resize);
  showBar();
  resize();
  // For those who look from outside: the state, and where and in which colour a cell is drawn.
  window.player = {
    state,
    frames,
    times,
    setFrame,
    play,
    stop,
    fields: fields.map((field) => field.key),
    cells: cells.length,
    colourOf: cellColour,
    cellAt: (cell) => cells[cell].map((point) => toPixel(scene.corner(point, state.frame))),
    nodeAt: (point) => toPixel(node(point, state.frame)),
    placeOf: (point) => scene.placeOf(point, state.frame),
    turn: (around, rise) => { scene.turn(around, rise); fit(); draw(); },
    valueAt: (key, point) => nodeValue(chosenField(key), point, state.frame),
  };
})();
