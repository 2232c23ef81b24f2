/** As many digits as mean something. */
export const shown = (number) => {
  const size = Math.abs(number)
  if (size >= 100) return Math.round(number).toLocaleString('en-US')
  if (size >= 10) return number.toFixed(1)
  return number.toFixed(size >= 0.1 || size === 0 ? 2 : 3)
}

const around = ({ min, max }) => (min === max ? '' : ` (${shown(min)}–${shown(max)})`)

export const shownSpread = (spread) => `${shown(spread.median)}${around(spread)}`

/** What is judged, in bold. */
export const shownRatio = (spread) => `**${shown(spread.median)}**${around(spread)}`

export const count = (number) => number.toLocaleString('en-US')
