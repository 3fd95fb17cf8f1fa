// An ellipse `{ mean: [x, y], long, short, angle }`, with standard deviations along its
// axes: from a covariance and back, and the places at which a hand can take it.

import { eigSym, ofEigen } from "../twin/matrix2.mjs";

export const SIGMAS = 2; // the outline is drawn at so many standard deviations

/** The ellipse of a mean and a covariance (flat, 2 x 2). */
export function ofMoments(mean, cov) {
  const { values, angle } = eigSym(cov);
  const [long, short] = values.map((v) => Math.sqrt(Math.max(0, v)));
  return { mean: [...mean], long, short, angle };
}

/** The covariance (flat) of an ellipse. */
export const covOf = ({ long, short, angle }) => ofEigen([long * long, short * short], angle);

export const LEAST = 24; // px between a knob and the centre: a line too has a knob to widen it by

/** The places that can be grabbed, as pixels: centre, two knobs, their hollow twins. */
export function handlesOf(g, { mean, long, short, angle }) {
  const [x, y] = [g.x(mean[0]), g.y(mean[1])];
  const end = (length, turn) => {
    const r = Math.max(LEAST, SIGMAS * g.scale * length);
    return { x: x + r * Math.cos(turn), y: y - r * Math.sin(turn) };
  };
  const right = angle + Math.PI / 2;
  return {
    long: end(long, angle),
    short: end(short, right),
    "long twin": end(long, angle + Math.PI),
    "short twin": end(short, right + Math.PI),
    centre: { x, y },
  };
}
