// Clusters of tokens, as tfdynlib.metastability.clusters.

/**
 * Connected components of the graph "geodesic distance at most radius".
 *
 * Labels are numbered in the order of their first token. Distances are compared by the
 * chord, 2 sin(radius / 2), which is the same question without an arc cosine.
 *
 * @returns {{labels: Int32Array, count: number, sizes: number[]}}
 */
export function clusters(x, n, d, radius) {
  const reach = radius >= Math.PI ? Infinity : (2 * Math.sin(radius / 2)) ** 2;
  const labels = new Int32Array(n).fill(-1);
  const sizes = [];
  const queue = new Int32Array(n);
  for (let first = 0; first < n; first++) {
    if (labels[first] >= 0) continue;
    labels[first] = sizes.length;
    queue[0] = first;
    let end = 1;
    for (let at = 0; at < end; at++) {
      for (let j = first + 1; j < n; j++) {
        if (labels[j] < 0 && chordSquared(x, d, queue[at], j) <= reach) {
          labels[j] = sizes.length;
          queue[end++] = j;
        }
      }
    }
    sizes.push(end);
  }
  return { labels, count: sizes.length, sizes };
}

function chordSquared(x, d, i, j) {
  let sum = 0;
  for (let k = 0; k < d; k++) sum += (x[i * d + k] - x[j * d + k]) ** 2;
  return sum;
}
