import { headerOf, type RawResponse } from '../../doors/rawHttp.js'
import type { Send } from '../Conversation.js'
import { namesOf, steadyHeaders } from './steadyHeaders.js'

const differences = (
  head: RawResponse,
  got: RawResponse,
  isSteady: (name: string) => boolean,
): ReadonlyArray<string> => [
  ...(head.status === got.status ? [] : [`the status is ${head.status}, that of GET ${got.status}`]),
  ...(head.complete && head.body.length === 0 ? [] : ['HEAD is answered with a body']),
  ...namesOf([got])
    .filter((name) => isSteady(name) && headerOf(head, name) !== headerOf(got, name))
    .map((name) => `${name} is ${headerOf(head, name) ?? '(absent)'}, that of GET ${headerOf(got, name)}`),
]

/** Whether HEAD is answered as GET is, without the body. */
export const headLikeGet =
  (target: string) =>
  async (send: Send): Promise<ReadonlyArray<string>> => {
    const get = () => send({ method: 'GET', target })
    const got = await get()
    return differences(await send({ method: 'HEAD', target }), got, steadyHeaders(got, await get()))
  }
