const mark = Buffer.from('"inherited":')

/** Counts the nodes of a tree as its bytes come: every node says once whether its visibility is inherited. */
export const nodeCounter = () => {
  let nodes = 0
  let tail = Buffer.alloc(0)
  return {
    onChunk: (chunk) => {
      // A mark may begin in one chunk and end in the next.
      const bytes = Buffer.concat([tail, chunk])
      let after = 0
      for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, after)) {
        nodes += 1
        after = at + mark.length
      }
      tail = bytes.subarray(Math.max(after, bytes.length - mark.length + 1))
    },
    nodes: () => nodes,
  }
}
