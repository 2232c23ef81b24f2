import { type CallOptions, createClient, type Failure, type TreeNode, toResult } from '@canopy/client'
import { type Place, pathOf, root } from './routes.js'
import { ownToken } from './service.js'

/** The body for the client, which reads a complete response, once the reader has consumed the real one. */
const placeholder =
  '{"type":"tree","content":{"type":"dir","name":"","visibility":{"inherited":false,"visibility":"private"}}}'

/** Yield to rendering after reading this long. */
const maxReadMs = 30

const consume = async (body: ReadableStreamDefaultReader<Uint8Array>, read: (chunk: Uint8Array) => void) => {
  let yieldedAt = performance.now()
  for (let next = await body.read(); !next.done; next = await body.read()) {
    read(next.value)
    if (performance.now() - yieldedAt < maxReadMs) continue
    await new Promise((resolve) => setTimeout(resolve))
    yieldedAt = performance.now()
  }
}

/** Fetches the whole subtree of a place and passes the chunks of the response to a reader. */
export const streamTree = async (
  place: Place,
  read: (chunk: Uint8Array) => void,
  call: CallOptions,
): Promise<Failure | undefined> => {
  const canopy = createClient({
    baseUrl: root,
    retries: 0,
    timeoutMs: Number.POSITIVE_INFINITY,
    fetch: async (url, init) => {
      const response = await fetch(url, { ...init, cache: 'no-store' })
      const body = response.ok ? response.body?.getReader() : undefined
      if (body === undefined) return response
      await consume(body, read)
      return new Response(placeholder)
    },
  })
  const { view } = place
  const path = pathOf(place)
  const result =
    view.as === 'owner'
      ? await toResult<TreeNode, Failure>(canopy.storageTree({ token: ownToken(), path }, call))
      : await toResult<TreeNode, Failure>(canopy.userContentTree({ user: view.user, path }, call))
  return 'failure' in result ? result.failure : undefined
}
