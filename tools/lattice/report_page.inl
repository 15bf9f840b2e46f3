// Style and script of the page of report.cpp. The script draws on a plain canvas with a depth buffer
// of its own: the same picture with and without a GPU.

constexpr const char* page_style = R"css(
:root { color-scheme: light dark; --line: #8884; --soft: #8881; --mark: #3b82c4; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 1200px; padding: 1.2rem; }
h1 { font-size: 1.4rem; margin: 0 0 .2rem; overflow-wrap: anywhere; } h2 { font-size: 1.05rem; margin: 1.8rem 0 .5rem; }
p { margin: .2rem 0; } .quiet { opacity: .7; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(210px, 45%), 1fr)); gap: .6rem; margin: 1rem 0; }
.facts div { background: var(--soft); border-radius: 6px; padding: .5rem .7rem; }
.facts b { display: block; font-size: 1.15rem; font-variant-numeric: tabular-nums; }
.facts span { opacity: .7; font-size: .85rem; }
#view { display: block; width: 100%; height: min(560px, 90vw); border-radius: 8px; background: #12161c; cursor: grab; touch-action: none; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: .5rem 0; font-size: .9rem; }
.legend i { display: inline-block; width: .9em; height: .9em; border-radius: 3px; margin-right: .35em; vertical-align: -.1em; }
.ramp i { width: 1.1em; margin: 0; border-radius: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .88rem; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td.o { white-space: normal; min-width: 14em; } td.bar { width: 120px; min-width: 70px; } td.bar i { display: block; height: .7em; background: var(--mark); border-radius: 2px; min-width: 1px; }
pre { background: var(--soft); border-radius: 6px; padding: .7rem; overflow-x: auto; font-size: .85rem; }
)css";

constexpr const char* page_script = R"js(
(function () {
  'use strict';
  const canvas = document.getElementById('view');
  if (!canvas) return;
  const cloud = JSON.parse(document.getElementById('cloud').textContent);
  const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const packed = new DataView(bytes(cloud.places).buffer), rgb = bytes(cloud.colours);
  const count = cloud.points;
  const places = new Float32Array(count * 3), colours = new Uint32Array(count);
  for (let i = 0; i < count * 3; ++i)
    places[i] = packed.getUint16(i * 2, true) / 65535 - cloud.centre[i % 3];
  for (let i = 0; i < count; ++i)
    colours[i] = 0xff000000 | rgb[i * 3 + 2] << 16 | rgb[i * 3 + 1] << 8 | rgb[i * 3];

  let camera = null, waiting = false;
  const context = canvas.getContext('2d');
  let image = null, pixels = null, depth = null;

  // What turns places into pixels: the camera's turn and tilt, its distance, and the focus.
  function projection(at, width, height) {
    const cy = Math.cos(at.yaw), sy = Math.sin(at.yaw), cp = Math.cos(at.pitch), sp = Math.sin(at.pitch);
    const far = 1.9 / at.zoom, focus = Math.min(width, height * 1.6) * 1.15;
    return { cy, sy, cp, sp, far, focus };
  }

  // The camera that shows all points as large as they fit.
  function fitted(width, height, scale) {
    const at = { yaw: -0.6, pitch: 0.75, zoom: 0, x: 0, y: 0 }, step = Math.max(1, Math.floor(count / 20000));
    let low = 0.2, high = 8;
    for (let round = 0; round < 24; ++round) {
      at.zoom = (low + high) / 2;
      const { cy, sy, cp, sp, far, focus } = projection(at, width, height);
      let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity, behind = false;
      for (let i = 0, p = 0; i < count; i += step, p = 3 * i) {
        const u = places[p] * cy - places[p + 1] * sy, v = places[p] * sy + places[p + 1] * cy, c = places[p + 2];
        const d = far + v * cp - c * sp, f = focus / d, x = u * f, y = -(v * sp + c * cp) * f;
        behind = behind || d < 0.05;
        left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); bottom = Math.max(bottom, y);
      }
      if (behind || right - left > 0.92 * width || bottom - top > 0.92 * height) { high = at.zoom; continue; }
      low = at.zoom;
      if (right < left) continue; // no points
      at.x = -(left + right) / 2 / scale; at.y = -(top + bottom) / 2 / scale;
    }
    at.zoom = low;
    return at;
  }

  function draw() {
    waiting = false;
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(canvas.clientWidth * scale));
    const height = Math.max(1, Math.round(canvas.clientHeight * scale));
    camera = camera || fitted(width, height, scale);
    if (!image || canvas.width !== width || canvas.height !== height) {
      canvas.width = width; canvas.height = height;
      image = context.createImageData(width, height);
      pixels = new Uint32Array(image.data.buffer);
      depth = new Float32Array(width * height);
    }
    pixels.fill(0xff1c1612);
    depth.fill(Infinity);
    const { cy, sy, cp, sp, far, focus } = projection(camera, width, height);
    const mx = width / 2 + camera.x * scale, my = height / 2 + camera.y * scale;
    // A point is as wide as what it stands for, from 1 to 8 pixels.
    const own = cloud.spacing * focus;
    let outside = 0;
    for (let i = 0, p = 0; i < count; ++i, p += 3) {
      const a = places[p], b = places[p + 1], c = places[p + 2];
      const u = a * cy - b * sy, v = a * sy + b * cy;
      const d = far + v * cp - c * sp;
      if (d < 0.01) continue;
      const f = focus / d;
      const size = Math.max(1, Math.min(8, Math.round(own / d)));
      const px = Math.round(mx + u * f - size / 2), py = Math.round(my - (v * sp + c * cp) * f - size / 2);
      if (px < 0 || py < 0 || px + size > width || py + size > height) { ++outside; continue; }
      for (let y = py; y < py + size; ++y) {
        for (let x = px, at = y * width + px; x < px + size; ++x, ++at) {
          if (d < depth[at]) { depth[at] = d; pixels[at] = colours[i]; }
        }
      }
    }
    context.putImageData(image, 0, 0);
    if (!document.body.dataset.drawn) {
      let drawn = 0;
      for (let i = 0; i < depth.length; ++i) if (depth[i] !== Infinity) ++drawn;
      document.body.dataset.drawn = drawn;
      document.body.dataset.outside = outside;
    }
  }
  function redraw() { if (!waiting) { waiting = true; requestAnimationFrame(draw); } }

  const held = new Map();
  canvas.addEventListener('pointerdown', e => { held.set(e.pointerId, e); canvas.setPointerCapture(e.pointerId); });
  for (const end of ['pointerup', 'pointercancel']) canvas.addEventListener(end, e => held.delete(e.pointerId));
  canvas.addEventListener('pointermove', e => {
    const last = held.get(e.pointerId);
    if (!last) return;
    const dx = e.clientX - last.clientX, dy = e.clientY - last.clientY;
    if (held.size === 2) {
      const other = [...held.values()].find(each => each.pointerId !== e.pointerId);
      const apart = q => Math.hypot(q.clientX - other.clientX, q.clientY - other.clientY) + 1;
      camera.zoom *= apart(e) / apart(last);
    } else if (e.shiftKey || e.buttons & 6) {
      camera.x += dx; camera.y += dy;
    } else {
      camera.yaw += dx * 0.006;
      camera.pitch = Math.max(-0.2, Math.min(Math.PI / 2, camera.pitch + dy * 0.006));
    }
    held.set(e.pointerId, e);
    redraw();
  });
  canvas.addEventListener('contextmenu', e => e.preventDefault());
  canvas.addEventListener('wheel', e => {
    e.preventDefault();
    camera.zoom = Math.max(0.2, Math.min(60, camera.zoom * Math.exp(-e.deltaY * 0.0012)));
    redraw();
  }, { passive: false });
  canvas.addEventListener('dblclick', () => { camera = null; draw(); });
  window.addEventListener('resize', redraw);
  draw();
})();
)js";
