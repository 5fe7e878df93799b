"use strict";
// Shows a run: the body in the plane, coloured by a field, friction on its nodes, curves with a cursor. The data stand in #data.
(() => {
  const run = JSON.parse(document.getElementById("data").textContent);
  const element = (id) => document.getElementById(id);
  const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9", "#888888"];
  const PLAIN = "#CFE6F5", INK = "#1a1a1a", SOFT = "#666", GRID = "#ececec";
  const NO_VALUE = 65535, WHOLE = 8;  // seconds that the whole motion takes at the middle rate
  const MARGIN = { left: 62, right: 10, top: 10, bottom: 38 };

  // ---- arrays ----
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer;
  const packed = (source) => source && { ...source, values: new Uint16Array(bytes(source.values)) };
  const at = (field, index) => {
    const value = field.values[index];
    return value === NO_VALUE ? NaN : field.low + field.step * value;
  };
  const times = run.times, frames = times.length;
  const moved = packed(run.moved), friction = packed(run.friction);
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

  // ---- geometry ----
  function carried(X, point, frame, shift) {
    const c = Math.cos(run.frame.angle[frame]), s = Math.sin(run.frame.angle[frame]);
    let x = X[2 * point], y = X[2 * point + 1];
    if (shift) {
      const place = 2 * (frame * run.body.count + point);
      x += at(shift, place);
      y += at(shift, place + 1);
    }
    return [run.frame.x[frame] + c * x - s * y, run.frame.y[frame] + s * x + c * y];
  }
  const enlarged = (now, start) => [start[0] + state.factor * (now[0] - start[0]), start[1] + state.factor * (now[1] - start[1])];
  const shown = (X, point, frame, shift) =>
    state.factor === 1 ? carried(X, point, frame, shift) : enlarged(carried(X, point, frame, shift), carried(X, point, 0, shift));
  const corner = (point, frame) => shown(bodyX, point, frame, moved);
  const node = (point, frame) => shown(nodeX, point, frame, run.nodes.sameAsBody ? moved : null);
  function origin(frame) {
    return enlarged([run.frame.x[frame], run.frame.y[frame]], [run.frame.x[0], run.frame.y[0]]);
  }
  const rim = (() => {  // sides that belong to one cell only
    if (corners < 3) return [];
    const seen = new Map();
    for (const cell of cells)
      cell.forEach((from, k) => {
        const to = cell[(k + 1) % corners], key = from < to ? from + " " + to : to + " " + from;
        seen.set(key, seen.has(key) ? null : [from, to]);
      });
    return [...seen.values()].filter(Boolean);
  })();

  // ---- the view ----
  const canvas = element("body"), pen = canvas.getContext("2d");
  const plot = () => ({ width: canvas.clientWidth - MARGIN.left - MARGIN.right, height: canvas.clientHeight - MARGIN.top - MARGIN.bottom });
  const toPixel = ([x, y]) => {
    const { width, height } = plot();
    return [MARGIN.left + width / 2 + (x - view.x) * view.sx, MARGIN.top + height / 2 - (y - view.y) * view.sy];
  };
  function fit() {
    const points = run.body.count ? [bodyX, run.body.count, moved] : [nodeX, run.nodes.count, null];
    const low = [Infinity, Infinity], high = [-Infinity, -Infinity], every = Math.max(1, Math.floor(frames / 60));
    const few = Math.max(1, Math.floor(points[1] / 4000));
    for (let frame = 0; frame < frames; frame = frame === frames - 1 ? frames : Math.min(frame + every, frames - 1))
      for (let point = 0; point < points[1]; point += few) {
        const place = shown(points[0], point, frame, points[2]);
        for (const axis of [0, 1]) {
          low[axis] = Math.min(low[axis], place[axis]);
          high[axis] = Math.max(high[axis], place[axis]);
        }
      }
    const pad = 0.06 * Math.max(high[0] - low[0], high[1] - low[1], 1e-12);
    const span = [0, 1].map((axis) => high[axis] - low[axis]);
    const slender = Math.max(...span) > 6 * Math.min(...span);
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
  const mapColour = (field, value) => {
    if (!Number.isFinite(value)) return "#dddddd";
    if (field.states) return value > 0.5 ? run.states.sticks : run.states.slips;
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

  // ---- drawing the body ----
  function line(points) {
    pen.beginPath();
    points.forEach((point, k) => (k ? pen.lineTo(...toPixel(point)) : pen.moveTo(...toPixel(point))));
  }
  function drawAxes() {
    const { width, height } = plot(), right = MARGIN.left + width, bottom = MARGIN.top + height;
    const spanX = width / view.sx, spanY = height / view.sy;
    pen.strokeStyle = GRID;
    pen.fillStyle = SOFT;
    pen.lineWidth = 1;
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const x of ticks(view.x - spanX / 2, view.x + spanX / 2, Math.max(2, width / 110))) {
      const pixel = toPixel([x, 0])[0];
      pen.beginPath(); pen.moveTo(pixel, MARGIN.top); pen.lineTo(pixel, bottom); pen.stroke();
      pen.fillText(number(x), pixel, bottom + 5);
    }
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const y of ticks(view.y - spanY / 2, view.y + spanY / 2, Math.max(2, height / 60))) {
      const pixel = toPixel([0, y])[1];
      pen.beginPath(); pen.moveTo(MARGIN.left, pixel); pen.lineTo(right, pixel); pen.stroke();
      pen.fillText(number(y), MARGIN.left - 5, pixel);
    }
    pen.textAlign = "center";
    pen.fillText("x [m]", MARGIN.left + width / 2, bottom + 29);
    pen.save();
    pen.translate(11, MARGIN.top + height / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText("y [m]", 0, 0);
    pen.restore();
    pen.strokeStyle = "#b5b5b5";
    pen.strokeRect(MARGIN.left, MARGIN.top, width, height);
  }
  function drawBody(frame) {
    if (!cells.length) {
      for (let point = 0; point < run.nodes.count; point += 1) {
        const [x, y] = toPixel(node(point, frame));
        pen.fillStyle = state.field ? mapColour(state.field, nodeValue(state.field, point, frame)) : SOFT;
        pen.beginPath(); pen.arc(x, y, 4, 0, 2 * Math.PI); pen.fill();
      }
      return;
    }
    const places = Array.from({ length: run.body.count }, (_, point) => toPixel(corner(point, frame)));
    pen.lineJoin = pen.lineCap = "round";
    cells.forEach((cell, k) => {
      const colour = cellColour(k);
      pen.beginPath();
      cell.forEach((point, n) => (n ? pen.lineTo(...places[point]) : pen.moveTo(...places[point])));
      if (corners === 2) {
        pen.strokeStyle = state.field ? colour : COLOURS[0];
        pen.lineWidth = 6;
        pen.stroke();
        return;
      }
      pen.closePath();
      pen.fillStyle = colour;
      pen.fill();
      pen.strokeStyle = state.mesh ? "rgba(0,0,0,.35)" : colour;
      pen.lineWidth = 0.7;
      pen.stroke();
    });
    pen.strokeStyle = INK;
    pen.lineWidth = 1.1;
    pen.beginPath();
    for (const [from, to] of rim) { pen.moveTo(...places[from]); pen.lineTo(...places[to]); }
    pen.stroke();
  }
  function arrow(from, to, colour, width) {
    const dx = to[0] - from[0], dy = to[1] - from[1], length = Math.hypot(dx, dy);
    if (length < 0.5) return;
    const head = Math.min(7, 0.45 * length), ux = dx / length, uy = dy / length;
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    pen.moveTo(...from);
    pen.lineTo(to[0] - 0.8 * head * ux, to[1] - 0.8 * head * uy);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(...to);
    pen.lineTo(to[0] - head * ux - 0.45 * head * uy, to[1] - head * uy + 0.45 * head * ux);
    pen.lineTo(to[0] - head * ux + 0.45 * head * uy, to[1] - head * uy - 0.45 * head * ux);
    pen.fill();
  }
  function drawFriction(frame) {
    if (!state.arrows || !friction) return;
    const full = Math.min(0.09 * run.size * view.sx, 60);
    for (const point of run.arrows) {
      const place = 2 * (frame * run.nodes.count + point), from = toPixel(node(point, frame));
      arrow(from, [from[0] + full * at(friction, place), from[1] - full * at(friction, place + 1)], "#D55E00", 1.6);
    }
  }
  function drawFrame(frame) {
    const way = [];
    for (let k = 0; k <= frame; k += 1) way.push(origin(k));
    pen.strokeStyle = INK;
    pen.lineWidth = 1;
    line(way);
    pen.stroke();
    const start = toPixel(origin(frame));
    [["#CC79A7", 0], ["#009E73", Math.PI / 2]].forEach(([colour, turn]) => {
      const angle = state.factor * (run.frame.angle[frame] - run.frame.angle[0]) + run.frame.angle[0] + turn, length = 46;
      arrow(start, [start[0] + length * Math.cos(angle), start[1] - length * Math.sin(angle)], colour, 2.2);
    });
  }
  function draw() {
    sized(canvas, pen);
    pen.clearRect(0, 0, canvas.clientWidth, canvas.clientHeight);
    drawAxes();
    const { width, height } = plot();
    pen.save();
    pen.beginPath();
    pen.rect(MARGIN.left, MARGIN.top, width, height);
    pen.clip();
    drawBody(state.frame);
    pen.strokeStyle = INK;
    pen.lineWidth = 2.5;
    for (const obstacle of run.obstacles[state.frame] || [])
      for (const outline of obstacle) { line(outline); pen.stroke(); }
    drawFrame(state.frame);
    drawFriction(state.frame);
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
  const pair = (x, y) => `(${number(x)}, ${number(y)})`;
  function showTip() {
    const tip = element("tip"), frame = state.frame, place = carried(nodeX, hovered, frame, run.nodes.sameAsBody ? moved : null);
    const lines = [`node ${hovered}`, `X = ${pair(nodeX[2 * hovered], nodeX[2 * hovered + 1])} m`, `x = ${pair(...place)} m`];
    for (const field of fields) {
      const value = nodeValue(field, hovered, frame);
      lines.push(field.states ? (value > 0.5 ? "sticks" : "slips") : `${field.label}: ${withUnit(value, field.unit)}`);
    }
    if (friction) {
      const start = 2 * (frame * run.nodes.count + hovered), bound = friction.bound[hovered];
      lines.push(`friction force: ${pair(bound * at(friction, start), bound * at(friction, start + 1))} N`);
    }
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
      for (const [name, colour] of [["sticks", run.states.sticks], ["slips", run.states.slips]]) {
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
  state.field = chosenField("stick") || chosenField("speed");
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
    held = { x: event.clientX, y: event.clientY, vx: view.x, vy: view.y };
    if (event.pointerType === "mouse") canvas.setPointerCapture(event.pointerId);
    else hover(event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (held && event.buttons && event.pointerType === "mouse") {
      view.x = held.vx - (event.clientX - held.x) / view.sx;
      view.y = held.vy + (event.clientY - held.y) / view.sy;
      view.moved = true;
      element("reset").hidden = false;
      draw();
    } else hover(event);
  });
  canvas.addEventListener("pointerup", () => { held = null; });
  canvas.addEventListener("pointerleave", () => { held = null; hovered = -1; element("tip").hidden = true; draw(); });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect(), { width, height } = plot(), factor = Math.exp(-0.0015 * event.deltaY);
    const px = event.clientX - box.left - MARGIN.left - width / 2, py = event.clientY - box.top - MARGIN.top - height / 2;
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
    cellAt: (cell) => cells[cell].map((point) => toPixel(corner(point, state.frame))),
    nodeAt: (point) => toPixel(node(point, state.frame)),
    placeOf: (point) => carried(nodeX, point, state.frame, run.nodes.sameAsBody ? moved : null),
    valueAt: (key, point) => nodeValue(chosenField(key), point, state.frame),
  };
})();
