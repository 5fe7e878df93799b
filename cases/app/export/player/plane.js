"use strict";
// The body in the plane: its cells or points coloured by a field, obstacles, the frame's axes and the path of its origin, friction.
function makeScene(kit) {
  const { run, pen, view, state, plot, toPixel, ticks, number, at, moved, friction, bodyX, nodeX, cells, corners } = kit;
  const { COLOURS, INK, SOFT, GRID, mapColour, cellColour, nodeValue } = kit;
  const margin = { left: 62, right: 10, top: 10, bottom: 38 };

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

  function* extent() {
    const [X, count, shift] = run.body.count ? [bodyX, run.body.count, moved] : [nodeX, run.nodes.count, null];
    const frames = run.times.length, every = Math.max(1, Math.floor(frames / 60)), few = Math.max(1, Math.floor(count / 4000));
    for (let frame = 0; frame < frames; frame = frame === frames - 1 ? frames : Math.min(frame + every, frames - 1))
      for (let point = 0; point < count; point += few) yield shown(X, point, frame, shift);
  }
  function line(points) {
    pen.beginPath();
    points.forEach((point, k) => (k ? pen.lineTo(...toPixel(point)) : pen.moveTo(...toPixel(point))));
  }
  function drawUnder() {
    const { width, height } = plot(), right = margin.left + width, bottom = margin.top + height;
    const spanX = width / view.sx, spanY = height / view.sy;
    pen.strokeStyle = GRID;
    pen.fillStyle = SOFT;
    pen.lineWidth = 1;
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const x of ticks(view.x - spanX / 2, view.x + spanX / 2, Math.max(2, width / 110))) {
      const pixel = toPixel([x, 0])[0];
      pen.beginPath(); pen.moveTo(pixel, margin.top); pen.lineTo(pixel, bottom); pen.stroke();
      pen.fillText(number(x), pixel, bottom + 5);
    }
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const y of ticks(view.y - spanY / 2, view.y + spanY / 2, Math.max(2, height / 60))) {
      const pixel = toPixel([0, y])[1];
      pen.beginPath(); pen.moveTo(margin.left, pixel); pen.lineTo(right, pixel); pen.stroke();
      pen.fillText(number(y), margin.left - 5, pixel);
    }
    pen.textAlign = "center";
    pen.fillText("x [m]", margin.left + width / 2, bottom + 29);
    pen.save();
    pen.translate(11, margin.top + height / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText("y [m]", 0, 0);
    pen.restore();
    pen.strokeStyle = "#b5b5b5";
    pen.strokeRect(margin.left, margin.top, width, height);
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
    const path = [];
    for (let k = 0; k <= frame; k += 1) path.push(origin(k));
    pen.strokeStyle = INK;
    pen.lineWidth = 1;
    line(path);
    pen.stroke();
    const start = toPixel(origin(frame));
    [["#CC79A7", 0], ["#009E73", Math.PI / 2]].forEach(([colour, turn]) => {
      const angle = state.factor * (run.frame.angle[frame] - run.frame.angle[0]) + run.frame.angle[0] + turn, length = 46;
      arrow(start, [start[0] + length * Math.cos(angle), start[1] - length * Math.sin(angle)], colour, 2.2);
    });
  }
  function draw(frame) {
    drawBody(frame);
    pen.strokeStyle = INK;
    pen.lineWidth = 2.5;
    for (const obstacle of run.obstacles[frame] || [])
      for (const outline of obstacle) { line(outline); pen.stroke(); }
    drawFrame(frame);
    drawFriction(frame);
  }
  function force(point, frame) {
    const start = 2 * (frame * run.nodes.count + point), bound = friction.bound[point];
    return [bound * at(friction, start), bound * at(friction, start + 1)];
  }
  function drag(event, held) {
    if (event.pointerType !== "mouse") return false;
    view.x = held.view.x - (event.clientX - held.x) / view.sx;
    view.y = held.view.y + (event.clientY - held.y) / view.sy;
    return (view.moved = true);
  }
  const placeOf = (point, frame) => carried(nodeX, point, frame, run.nodes.sameAsBody ? moved : null);
  return { margin, stretches: true, magnifies: true, views: null, extent, corner, node, placeOf, force, drawUnder, draw, drag };
}
