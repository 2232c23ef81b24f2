import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { get } from '../http.mjs'

/**
 * What Canopy answers to each target, whole, for servers that have nothing to do but to send it: in a file, so that
 * they can be processes of their own.
 */
export const writeAnswers = async (directory, port, paths, expected = 200) => {
  const answers = []
  for (const path of paths) {
    const { status, headers, body } = await get(port, path)
    if (status !== expected) throw new Error(`${path} answered ${status}`)
    answers.push({ path, status, type: headers['content-type'], etag: headers.etag, body: body.toString('base64') })
  }
  const file = join(directory, 'answers.json')
  writeFileSync(file, JSON.stringify(answers))
  return file
}

/** By target, each with its body as a buffer. */
export const readAnswers = (file) =>
  new Map(
    JSON.parse(readFileSync(file, 'utf8')).map(({ path, body, ...answer }) => [
      path,
      { ...answer, body: Buffer.from(body, 'base64') },
    ]),
  )
