// Files with content. Their bytes are ASCII, because worlds are written as text.
import { worldWith } from '@canopy/test-support'
import { dir, file, textFile, type World } from '@canopy/testkit'

export const filesToken = `cnp_${'g'.repeat(42)}A`

const picture = 'GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;'

/** 64 samples of one byte, 8,000 a second. */
const format = '\x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x40\x1f\0\0\x01\0\x08\0'
const sound = `RIFF\x64\0\0\0WAVEfmt ${format}data\x40\0\0\0${'\x7f'.repeat(64)}`

export const page = "<script>document.title = 'run'</script><h1>not a heading</h1>"

export const longText = 'a line of a long text\n'.repeat(20_000)

/** In memory. The sizes of the other account exceed any disk. */
export const filesWorld: World = {
  accounts: [
    ...worldWith(
      [
        dir(
          'media',
          textFile('1 picture.gif', picture),
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
