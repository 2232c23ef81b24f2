import { shown } from './numbers.mjs'

const width = 760
const left = 248
const right = 84
const barHeight = 15
const groupGap = 30
const top = 64
const legendLine = 20

const style = `
    .card { fill: #ffffff; stroke: #d0d7de }
    text { font: 12px system-ui, sans-serif; fill: #1f2328 }
    .title { font-size: 14px; font-weight: 600 }
    .quiet { fill: #59636e }
    .grid { stroke: #d0d7de }
    .Canopy { fill: #1a7f37 } .koa { fill: #0969da } .http { fill: #54aeff } .nginx { fill: #9a6700 }
    @media (prefers-color-scheme: dark) {
      .card { fill: #0d1117; stroke: #3d444d }
      text { fill: #f0f6fc }
      .quiet { fill: #9198a1 }
      .grid { stroke: #3d444d }
      .Canopy { fill: #3fb950 } .koa { fill: #4493f8 } .http { fill: #a5d6ff } .nginx { fill: #d29922 }
    }`

const colours = { Canopy: 'Canopy', 'bare Koa': 'koa', 'raw node:http': 'http', nginx: 'nginx' }

/** The rows of the listings, by size: Canopy and each server beside it. */
const groupsOf = (rows) =>
  [...new Set(rows.map(({ what }) => what))].map((what) => {
    const ofSize = rows.filter((row) => row.what === what)
    const others = ofSize.flatMap(({ reference: { name, median } }) => (median === undefined ? [] : [{ name, median }]))
    return { what, bars: [{ name: 'Canopy', median: ofSize[0].canopy.median }, ...others] }
  })

/** Whole powers of ten around all figures. */
const scaleOf = (figures) => {
  const low = Math.floor(Math.log10(Math.min(...figures)))
  const high = Math.ceil(Math.log10(Math.max(...figures)))
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index)),
    x: (figure) => left + ((Math.log10(figure) - low) / (high - low)) * (width - left - right),
  }
}

const bar =
  (x) =>
  ({ name, median }, y) =>
    `<rect class="${colours[name]}" x="${left}" y="${y}" width="${(x(median) - left).toFixed(1)}" height="${barHeight - 3}"/>` +
    `<text x="${(x(median) + 5).toFixed(1)}" y="${y + 10}">${shown(median)}</text>`

const group = (x, { what, bars }, y) =>
  `<text x="${left - 10}" y="${y + (bars.length * barHeight) / 2 + 3}" text-anchor="end">${what}</text>` +
  bars.map((one, index) => bar(x)(one, y + index * barHeight)).join('')

const legend = (names) =>
  names
    .map(
      (name, index) =>
        `<rect class="${colours[name]}" x="${left + index * 118}" y="36" width="12" height="12"/>` +
        `<text x="${left + index * 118 + 17}" y="46">${name}</text>`,
    )
    .join('')

/** Requests per second by size of the listing, on a scale of powers of ten. It has a background of its own. */
export const chart = (rows, caption) => {
  const groups = groupsOf(rows)
  const all = groups.flatMap(({ bars }) => bars)
  const { ticks, x } = scaleOf(all.map(({ median }) => median))
  const heights = groups.map(({ bars }) => bars.length * barHeight + groupGap)
  const tops = heights.map((_, index) => top + heights.slice(0, index).reduce((sum, height) => sum + height, 0))
  const bottom = top + heights.reduce((sum, height) => sum + height, 0) - groupGap / 2
  const grid = ticks.map(
    (tick) =>
      `<line class="grid" x1="${x(tick).toFixed(1)}" x2="${x(tick).toFixed(1)}" y1="${top - 8}" y2="${bottom}"/>` +
      `<text class="quiet" x="${x(tick).toFixed(1)}" y="${bottom + 15}" text-anchor="middle">${tick.toLocaleString('en-US')}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + legendLine + 24}" role="img" aria-label="Listings per second">
  <style>${style}
  </style>
  <rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${bottom + legendLine + 23}" rx="6"/>
  <text class="title" x="${left}" y="24">Listings per second, one process (more is better; powers of ten)</text>
  ${legend([...new Set(all.map(({ name }) => name))])}
  ${grid.join('\n  ')}
  ${groups.map((one, index) => group(x, one, tops[index])).join('\n  ')}
  <text class="quiet" x="${left}" y="${bottom + 34}">${caption}</text>
</svg>
`
}
