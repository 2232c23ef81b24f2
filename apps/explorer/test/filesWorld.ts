// Files with content. Their bytes are ASCII, because worlds are written as text.
import { worldWith } from '@canopy/test-support'
import { dir, file, textFile, type World } from '@canopy/testkit'

export const filesToken = `cnp_${'g'.repeat(42)}A`

const little = (value: number, length: number): ReadonlyArray<number> =>
  Array.from({ length }, (_, index) => (value >> (8 * index)) & 0xff)

const ascii = (...parts: ReadonlyArray<string | ReadonlyArray<number>>): string =>
  parts.map((part) => (typeof part === 'string' ? part : String.fromCharCode(...part))).join('')

const picture = ascii(
  'BM',
  [...little(102, 4), ...little(0, 4), ...little(54, 4)],
  [...little(40, 4), ...little(4, 4), ...little(4, 4), ...little(1, 2), ...little(24, 2)],
  [...little(0, 4), ...little(48, 4), ...little(0, 16)],
  Array.from({ length: 48 }, (_, index) => index),
)

const sound = ascii(
  'RIFF',
  little(100, 4),
  'WAVEfmt ',
  [...little(16, 4), ...little(1, 2), ...little(1, 2), ...little(8000, 4), ...little(8000, 4), ...little(1, 2)],
  little(8, 2),
  'data',
  little(64, 4),
  Array.from({ length: 64 }, () => 0x7f),
)

export const page = "<script>document.title = 'run'</script><h1>not a heading</h1>"

export const longText = 'a line of a long text\n'.repeat(20_000)

/** In memory. The sizes of the other account exceed any disk. */
export const filesWorld: World = {
  accounts: [
    ...worldWith(
      [
        dir(
          'media',
          textFile('1 picture.bmp', picture),
          textFile('2 sound.wav', sound),
          textFile('3 notes.txt', 'first\nsecond'),
          textFile('4 page.html', page),
          textFile('5 drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
          textFile('6 broken.png', 'no picture'),
          textFile('7 long.log', longText),
          textFile('8 letter.pdf', '%PDF'),
          textFile('secret.txt', 'my secret'),
        ),
      ],
      {
        id: '7',
        tokens: [{ token: filesToken, scope: '/', state: 'valid' }],
        settings: [
          { path: '/', visibility: 'public' },
          { path: '/media/secret.txt', visibility: 'private' },
        ],
      },
    ).accounts,
    ...worldWith(
      [file('a.bin', 2n ** 64n - 1n, 2n ** 53n + 1n), file('b.bin', 2n ** 53n + 1n), file('c.bin', 999_950n)],
      {
        id: '18446744073709551615',
      },
    ).accounts,
  ],
  triggers: [],
}
