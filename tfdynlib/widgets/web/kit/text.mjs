// Rich text on a canvas: `*x*` in serif italics, `_1` lower, `^2` higher.

import { parts } from "./dom.mjs";

function fontOf(kind, size, weight, palette) {
  if (kind === "math") return `italic ${weight} ${size * 1.1}px ${palette.serif}`;
  if (kind === "text") return `${weight} ${size}px ${palette.font}`;
  return `${weight} ${size * 0.74}px ${palette.font}`;
}

const SHIFT = { sub: 0.22, sup: -0.38 };

/** Pieces of a text with their widths; `width` is the whole. */
function measure(ctx, text, size, weight, palette) {
  let width = 0;
  const pieces = parts(text).map((part) => {
    const font = fontOf(part.kind, size, weight, palette);
    ctx.font = font;
    const piece = { ...part, font, x: width, dy: (SHIFT[part.kind] ?? 0) * size };
    width += ctx.measureText(part.text).width + (part.kind === "math" ? size * 0.04 : 0);
    return piece;
  });
  return { pieces, width };
}

/** Width of a rich text in CSS pixels. */
export function textWidth(ctx, text, palette, { size = 13, weight = 400 } = {}) {
  return measure(ctx, text, size, weight, palette).width;
}

/** `x` moved so that a text of this width and `align` stays `air` away from both sides of a stage. */
export function inside(x, width, align, w, air = 6) {
  const before = { left: 0, center: width / 2, right: width }[align];
  return Math.min(w - air - width + before, Math.max(air + before, x));
}

/**
 * Draw a rich text at (x, y).  `align` left, center or right; `base` middle,
 * top, bottom or alphabetic; `halo` is a colour for a 4-pixel outline.
 */
export function label(ctx, text, x, y, palette, options = {}) {
  const { size = 13, weight = 400, color = palette.ink, align = "left" } = options;
  const { base = "middle", halo = null } = options;
  const { pieces, width } = measure(ctx, text, size, weight, palette);
  const left = x - (align === "center" ? width / 2 : align === "right" ? width : 0);
  const dy = { middle: 0.35, top: 0.8, bottom: -0.22, alphabetic: 0 }[base] * size;
  ctx.save();
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  if (halo) {
    Object.assign(ctx, { strokeStyle: halo, lineWidth: 4, lineJoin: "round" });
    for (const piece of pieces) {
      ctx.font = piece.font;
      ctx.strokeText(piece.text, left + piece.x, y + dy + piece.dy);
    }
  }
  ctx.fillStyle = color;
  for (const piece of pieces) {
    ctx.font = piece.font;
    ctx.fillText(piece.text, left + piece.x, y + dy + piece.dy);
  }
  ctx.restore();
  return width;
}
