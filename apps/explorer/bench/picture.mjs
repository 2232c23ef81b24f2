// A picture for the screenshots: hills under a sky.
const [width, height] = [640, 400]

const colourAt = (x, y) => {
  const far = height * 0.55 + 40 * Math.sin(x / 90) + 12 * Math.sin(x / 31)
  const near = height * 0.72 + 30 * Math.sin(x / 70 + 2) + 8 * Math.sin(x / 23)
  if ((x - 470) ** 2 + (y - 110) ** 2 < 1600) return [255, 214, 120]
  if (y > near) return [38, 92, 62]
  if (y > far) return [86, 148, 110]
  return [150 + Math.round((y / height) * 90), 190 + Math.round((y / height) * 40), 235]
}

/** Returns a bitmap. */
export const picture = () => {
  const header = Buffer.alloc(54)
  header.write('BM')
  header.writeUInt32LE(54 + width * height * 3, 2)
  header.writeUInt32LE(54, 10)
  header.writeUInt32LE(40, 14)
  header.writeInt32LE(width, 18)
  // Negative: from the top.
  header.writeInt32LE(-height, 22)
  header.writeUInt16LE(1, 26)
  header.writeUInt16LE(24, 28)
  const pixels = Buffer.alloc(width * height * 3)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const [red, green, blue] = colourAt(x, y)
      pixels.set([blue, green, red], (y * width + x) * 3)
    }
  return Buffer.concat([header, pixels])
}
