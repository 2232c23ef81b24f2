import { headerOf, type RawResponse } from '../../doors/rawHttp.js'
import type { Send } from '../Conversation.js'

const get = (target: string) => ({ method: 'GET', target })

const namesOf = (responses: ReadonlyArray<RawResponse>): ReadonlyArray<string> => [
  ...new Set(responses.flatMap(({ headers }) => headers.map(([name]) => name.toLowerCase()))),
]

/** Whatever differs when the same is asked twice, such as the number of a request, tells nothing. */
const steadyHeaders = (one: RawResponse, again: RawResponse): ((name: string) => boolean) => {
  const restless = new Set(namesOf([one, again]).filter((name) => headerOf(one, name) !== headerOf(again, name)))
  return (name) => name !== 'date' && !restless.has(name)
}

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
