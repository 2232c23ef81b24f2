import { headerOf, type RawResponse } from '../../doors/rawHttp.js'
import type { Send } from '../Conversation.js'
import { namesOf, steadyHeaders } from './steadyHeaders.js'

const get = (target: string) => ({ method: 'GET', target })

const headersOf = (response: RawResponse, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name) => `${name}: ${headerOf(response, name) ?? '(absent)'}`)

/** Whether these targets are answered by the same status, headers and bytes: every difference from the first answer. */
export const alike =
  (targets: ReadonlyArray<string>) =>
  async (send: Send): Promise<ReadonlyArray<string>> => {
    const [first = '', ...others] = targets
    const expected = await send(get(first))
    const isSteady = steadyHeaders(expected, await send(get(first)))
    const violations: Array<string> = []
    for (const other of others) {
      const got = await send(get(other))
      const names = namesOf([expected, got]).filter(isSteady)
      const tell = (response: RawResponse): string =>
        [`${response.status}`, ...headersOf(response, names), response.body.toString()].join(' | ')
      if (tell(got) !== tell(expected))
        violations.push(`GET ${other} is answered by ${tell(got)}, but GET ${first} by ${tell(expected)}`)
    }
    return violations
  }
