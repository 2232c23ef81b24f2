/** What Linux can hold at most. */
const latest = 2n ** 63n - 1n

/**
 * When a node was modified, in whole seconds since 1970, at least 0. Node passes seconds through a double: above 2^53 they
 * are rounded, and those that round to 2^63 arrive as -2^63. Only then does `look` read the node once more, without
 * bigints, which keeps the sign.
 *
 * @param {Pick<import('node:fs').BigIntStats, 'mtimeNs'>} stats
 * @param {(path: string) => { readonly mtimeMs: number }} look
 * @param {string} path of the same node
 * @returns {bigint}
 */
export const modifiedSeconds = ({ mtimeNs }, look, path) => {
  // Truncated, not floored: the two differ only before 1970, which is 0 either way.
  const seconds = mtimeNs / 1_000_000_000n
  if (seconds >= 0n) return seconds
  // The nanoseconds are added to -2^63.
  if (seconds > 1n - latest) return 0n
  try {
    return look(path).mtimeMs > 0 ? latest : 0n
  } catch {
    return 0n
  }
}
