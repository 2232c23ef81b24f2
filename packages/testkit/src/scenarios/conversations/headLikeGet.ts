import { headerOf, type RawResponse } from '../../doors/rawHttp.js'
import type { Send } from '../Conversation.js'

const differences = (head: RawResponse, got: RawResponse): ReadonlyArray<string> => [
  ...(head.status === got.status ? [] : [`the status is ${head.status}, that of GET ${got.status}`]),
  ...(head.complete && head.body.length === 0 ? [] : ['HEAD is answered with a body']),
  ...got.headers
    .filter(([name, value]) => name.toLowerCase() !== 'date' && headerOf(head, name) !== value)
    .map(([name, value]) => `${name} is ${headerOf(head, name) ?? '(absent)'}, that of GET ${value}`),
]

/** Whether HEAD is answered as GET is, without the body. */
export const headLikeGet =
  (target: string) =>
  async (send: Send): Promise<ReadonlyArray<string>> =>
    differences(await send({ method: 'HEAD', target }), await send({ method: 'GET', target }))
