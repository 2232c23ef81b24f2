import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

/** Asks, and gives the status, the headers, the length and how long it took; each chunk of the body to `onChunk`. */
export const ask = (port, path, { headers = {}, agent = false, onChunk = () => undefined } = {}) =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    let bytes = 0
    const asked = request({ host: '127.0.0.1', port, path, headers, agent }, (response) => {
      response.on('data', (chunk) => {
        bytes += chunk.length
        onChunk(chunk)
      })
      response.once('error', reject)
      response.once('end', () =>
        resolve({ status: response.statusCode, headers: response.headers, bytes, ms: performance.now() - began }),
      )
    })
    asked.once('error', reject)
    asked.end()
  })

/** The same with its body. */
export const get = async (port, path, headers = {}) => {
  const chunks = []
  const answer = await ask(port, path, { headers, onChunk: (chunk) => chunks.push(chunk) })
  return { ...answer, body: Buffer.concat(chunks) }
}

/** Milliseconds of a whole answer. */
export const timeOfAnswer = async (port, path) => {
  const { status, ms } = await ask(port, path)
  if (status !== 200) throw new Error(`${path} answered ${status}`)
  return ms
}

const patienceMs = 60_000

/** The first answer of a server that is starting. */
export const firstAnswer = async ({ ended }, port, path, headers) => {
  let over = false
  void ended.finally(() => {
    over = true
  })
  const until = performance.now() + patienceMs
  for (;;) {
    const answer = await get(port, path, headers).catch((error) => {
      if (error.code !== 'ECONNREFUSED') throw error
    })
    if (answer !== undefined) return answer
    if (over) throw new Error('a server ended before it answered')
    if (performance.now() > until) throw new Error('a server did not answer in time')
    await sleep(2)
  }
}
