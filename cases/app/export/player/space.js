"use strict";
// The body in space, in a parallel view that can be turned: its faces coloured by a field, ground and obstacles as lines, points of contact
// as dots by force and state, seen through the body, contact forces as arrows, the frame's axes and the path of its origin.
function makeScene(kit) {
  const { run, pen, view, state, fit, plot, toPixel, ticks, number, at, fields, moved, friction, bodyX, nodeX, cells } = kit;
  const { INK, SOFT, PLAIN, cellColour } = kit;
  const margin = { left: 34, right: 34, top: 8, bottom: 30 }, AXES = ["#CC79A7", "#009E73", "#0072B2"];
  const views = { oblique: [21, 26], "other side": [201, 26], "from the front": [0, 3], "from the side": [90, 3], "from above": [0, 90] };
  const LIGHT = [0.25, -0.35, 0.9], DEGREE = Math.PI / 180, frames = run.times.length;
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const stick = fields.find((field) => field.key === "stick"), contactOf = new Map(run.contacts.map((point, k) => [point, k]));

  // ---- geometry ----
  let right, up, towards;  // of the viewer, in space
  function turn(around, rise) {
    Object.assign(view, { around, rise: Math.min(90, Math.max(2, rise)) });
    const c = Math.cos(view.around * DEGREE), s = Math.sin(view.around * DEGREE), h = Math.cos(view.rise * DEGREE), v = Math.sin(view.rise * DEGREE);
    [right, up, towards] = [[c, -s, 0], [v * s, v * c, h], [-h * s, -h * c, v]];
  }
  turn(...views.oblique);
  const projected = (place) => [dot(right, place), dot(up, place)];
  const rotations = run.frame.rotation.map(([w, x, y, z]) => [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ]);
  function carried(X, point, frame, shift, factor) {
    const r = [X[3 * point], X[3 * point + 1], X[3 * point + 2]];
    if (shift) for (const k of [0, 1, 2]) r[k] += factor * at(shift, 3 * (frame * run.body.count + point) + k);
    return rotations[frame].map((row, k) => run.frame.place[frame][k] + dot(row, r));
  }
  const shiftOfNodes = run.nodes.sameAsBody ? moved : null;
  const arms = kit.arms;  // of points that are none of the body's, from its origin in space: the lowest of a ball
  const nodeAt = (point, frame, factor) =>
    arms
      ? run.frame.place[frame].map((x, k) => x + at(arms, 3 * (frame * run.nodes.count + point) + k))
      : carried(nodeX, point, frame, shiftOfNodes, factor);
  const placeOf = (point, frame) => nodeAt(point, frame, 1);
  const nodePlace = (point, frame) => nodeAt(point, frame, state.factor);
  const corner = (point, frame) => projected(carried(bodyX, point, frame, moved, state.factor));
  const node = (point, frame) => projected(nodePlace(point, frame));
  const boxes = new Map();  // corners of what the motion fills, by the enlargement
  function box() {
    if (!boxes.has(state.factor)) {
      const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
      const every = Math.max(1, Math.floor(frames / 60)), few = Math.max(1, Math.floor(run.body.count / 4000));
      for (let frame = 0; frame < frames; frame = frame === frames - 1 ? frames : Math.min(frame + every, frames - 1))
        for (let point = 0; point < run.body.count; point += few)
          carried(bodyX, point, frame, moved, state.factor).forEach((x, k) => {
            low[k] = Math.min(low[k], x);
            high[k] = Math.max(high[k], x);
          });
      boxes.set(state.factor, [0, 1, 2, 3, 4, 5, 6, 7].map((n) => [0, 1, 2].map((k) => ((n >> k) & 1 ? high : low)[k])));
    }
    return boxes.get(state.factor);
  }
  const rim = run.ground ? [[0, 2], [1, 2], [1, 3], [0, 3]].map(([x, y]) => [run.ground[x], run.ground[y], 0]) : [];
  const extent = () => [...box(), ...rim].map(projected);

  // ---- drawing ----
  function line(points, closed = false) {
    pen.beginPath();
    points.forEach((point, k) => (k ? pen.lineTo(...toPixel(point)) : pen.moveTo(...toPixel(point))));
    if (closed) pen.closePath();
  }
  function placed(point, axes) {  // of an obstacle's own axes, in space
    return axes ? axes[0].map((x, k) => x + point.reduce((sum, y, n) => sum + y * (axes[n + 1][k] - x), 0)) : point;
  }
  function drawObstacles(frame) {
    pen.strokeStyle = SOFT;
    pen.lineWidth = 0.8;
    for (const obstacle of run.obstacles)
      for (const points of obstacle.lines) {
        line(points.map((point) => projected(placed(point, obstacle.axes && obstacle.axes[frame]))));
        pen.stroke();
      }
  }
  function drawUnder() {
    if (rim.length) drawGround();
    const start = [margin.left + 10, plot().height + margin.top - 12], size = 24;
    pen.lineWidth = 1.5;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    ["x", "y", "z"].forEach((name, k) => {
      const tip = [start[0] + size * right[k], start[1] - size * up[k]];
      pen.strokeStyle = pen.fillStyle = SOFT;
      pen.beginPath(); pen.moveTo(...start); pen.lineTo(...tip); pen.stroke();
      if (Math.hypot(right[k], up[k]) > 0.25) pen.fillText(name, start[0] + 1.4 * size * right[k], start[1] - 1.4 * size * up[k]);
    });
  }
  function drawGround() {
    const [x0, x1, y0, y1] = run.ground;
    pen.fillStyle = "#f0f0f0";
    line(rim.map(projected), true);
    pen.fill();
    pen.strokeStyle = "#dcdcdc";
    pen.fillStyle = SOFT;
    pen.lineWidth = 1;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    const nearY = towards[1] <= 0 ? y0 : y1, nearX = towards[0] <= 0 ? x0 : x1, centre = [(x0 + x1) / 2, (y0 + y1) / 2, 0];
    const sides = [["x", x0, x1, (x, end) => [x, end ? y1 : y0, 0], (x) => [x, nearY, 0]], ["y", y0, y1, (y, end) => [end ? x1 : x0, y, 0], (y) => [nearX, y, 0]]];
    for (const [name, low, high, across, near] of sides) {
      const length = Math.hypot(...[0, 1].map((k) => toPixel(projected(near(high)))[k] - toPixel(projected(near(low)))[k]));
      const outward = beyond(near((low + high) / 2), centre);
      for (const value of ticks(low, high, Math.max(2, length / 80))) {
        line([projected(across(value, 0)), projected(across(value, 1))]);
        pen.stroke();
        const [px, py] = toPixel(projected(near(value)));
        if (length > 60) pen.fillText(number(value), px + 16 * outward[0], py + 13 * outward[1]);
      }
      const [mx, my] = toPixel(projected(near((low + 5 * high) / 6)));
      if (length > 60) pen.fillText(`${name} [m]`, Math.min(plot().width + margin.left + 12, Math.max(22, mx + 42 * outward[0])), my + 36 * outward[1]);
    }
  }
  function beyond(place, centre) {  // the direction in pixels out of the ground at the middle of a side
    const [a, b] = [toPixel(projected(centre)), toPixel(projected(place))], d = [b[0] - a[0], b[1] - a[1]], size = Math.hypot(...d) || 1;
    return [d[0] / size, d[1] / size];
  }
  function shaded(colour, share) {
    const parts = colour.startsWith("#") ? [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16)) : colour.match(/\d+/g).map(Number);
    return `rgb(${parts.map((part) => Math.round(share * part)).join(",")})`;
  }
  function drawBody(frame) {
    const places = Array.from({ length: run.body.count }, (_, point) => carried(bodyX, point, frame, moved, state.factor));
    const seen = places.map((place) => toPixel(projected(place))), depth = places.map((place) => dot(towards, place));
    const faces = cells.map((face, k) => {
      const [a, b, c] = face.map((point) => places[point]), p = [0, 1, 2].map((i) => b[i] - a[i]), q = [0, 1, 2].map((i) => c[i] - a[i]);
      const normal = [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]], size = Math.hypot(...normal) || 1;
      return { k, front: dot(normal, towards) > 0, light: dot(normal, LIGHT) / size, depth: face.reduce((sum, point) => sum + depth[point], 0) / face.length };
    });
    faces.sort((a, b) => a.front - b.front || a.depth - b.depth);
    pen.lineJoin = pen.lineCap = "round";
    for (const { k, light } of faces) {
      const coloured = state.field && run.nodes.sameAsBody, colour = coloured ? cellColour(k) : PLAIN;
      const tone = shaded(colour, (coloured ? 0.88 : 0.72) + (coloured ? 0.12 : 0.28) * Math.max(0, light));
      pen.beginPath();
      cells[k].forEach((point, n) => (n ? pen.lineTo(...seen[point]) : pen.moveTo(...seen[point])));
      pen.closePath();
      pen.fillStyle = tone;
      pen.fill();
      pen.strokeStyle = state.mesh || run.edges ? "rgba(0,0,0,.4)" : tone;
      pen.lineWidth = 0.6;
      pen.stroke();
    }
  }
  function arrow(from, to, colour, width) {
    const dx = to[0] - from[0], dy = to[1] - from[1], length = Math.hypot(dx, dy);
    if (length < 1) return;
    const head = Math.min(7, 0.45 * length), ux = dx / length, uy = dy / length;
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = width;
    pen.beginPath(); pen.moveTo(...from); pen.lineTo(to[0] - 0.8 * head * ux, to[1] - 0.8 * head * uy); pen.stroke();
    pen.beginPath();
    pen.moveTo(...to);
    pen.lineTo(to[0] - head * ux - 0.45 * head * uy, to[1] - head * uy + 0.45 * head * ux);
    pen.lineTo(to[0] - head * ux + 0.45 * head * uy, to[1] - head * uy - 0.45 * head * ux);
    pen.fill();
  }
  function force(point, frame) {
    const k = contactOf.get(point);
    return [0, 1, 2].map((axis) => (k === undefined ? 0 : at(friction, 3 * (frame * run.contacts.length + k) + axis)));
  }
  function drawContacts(frame) {
    const few = Math.min(1, Math.sqrt(60 / run.contacts.length), 0.35 + plot().width / 900), full = 0.45 * run.size;
    for (const point of run.contacts) {
      const [x, y] = toPixel(node(point, frame)), press = Math.max(0, force(point, frame)[2]) / run.strongest;
      const value = at(stick, frame * run.nodes.count + point), open = value < -0.5;
      pen.beginPath(); pen.arc(x, y, open ? 2 * few + 0.6 : (2 + 5 * Math.sqrt(press)) * few + 0.4, 0, 2 * Math.PI);
      pen.fillStyle = run.states[value > 0.5 ? "sticks" : open ? "open" : "slips"];
      pen.fill();
      pen.strokeStyle = INK;
      pen.lineWidth = 0.7 * few;
      pen.stroke();
    }
    if (!state.arrows) return;
    for (const point of run.arrows) {
      const load = force(point, frame), from = nodePlace(point, frame);
      const to = from.map((x, k) => x + (full * load[k]) / run.strongest);
      arrow(toPixel(projected(from)), toPixel(projected(to)), INK, 1.2);
    }
  }
  function drawLegend() {
    let x = margin.left;
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    for (const [name, colour] of Object.entries(run.states)) {
      pen.fillStyle = colour;
      pen.strokeStyle = INK;
      pen.lineWidth = 0.7;
      pen.beginPath(); pen.arc(x + 4, 18, 4, 0, 2 * Math.PI); pen.fill(); pen.stroke();
      pen.fillStyle = SOFT;
      pen.fillText(name, x + 12, 18);
      x += 24 + pen.measureText(name).width;
    }
  }
  function drawFrame(frame) {
    pen.strokeStyle = INK;
    pen.lineWidth = 1;
    line(run.frame.place.slice(0, frame + 1).map(projected));
    pen.stroke();
    const start = toPixel(projected(run.frame.place[frame])), length = 46;
    AXES.forEach((colour, k) => {
      const axis = projected(rotations[frame].map((row) => row[k]));
      arrow(start, [start[0] + length * axis[0], start[1] - length * axis[1]], colour, 2.2);
    });
  }
  function draw(frame) {
    drawObstacles(frame);
    drawBody(frame);
    drawFrame(frame);
    if (!friction) return;
    drawContacts(frame);
    drawLegend();
  }
  function drag(event, held) {
    const dx = event.clientX - held.x, dy = event.clientY - held.y;
    if (event.shiftKey) {
      view.x = held.view.x - dx / view.sx;
      view.y = held.view.y + dy / view.sy;
      return (view.moved = true);
    }
    turn(held.view.around + 0.5 * dx, held.view.rise + (event.pointerType === "mouse" ? 0.4 * dy : 0));
    if (!view.moved) fit();
    return true;
  }
  return { margin, stretches: false, magnifies: Boolean(moved), views, turn, extent, corner, node, placeOf, force, drawUnder, draw, drag };
}
