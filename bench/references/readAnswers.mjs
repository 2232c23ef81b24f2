import { readFileSync } from 'node:fs'

/** By target, each with its body as a buffer. */
export const readAnswers = (file) =>
  new Map(
    JSON.parse(readFileSync(file, 'utf8')).map(({ path, body, ...answer }) => [
      path,
      { ...answer, body: Buffer.from(body, 'base64') },
    ]),
  )
