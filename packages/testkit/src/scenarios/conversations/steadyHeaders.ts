import { headerOf, type RawResponse } from '../../doors/rawHttp.js'

/** In lower case. */
export const namesOf = (responses: ReadonlyArray<RawResponse>): ReadonlyArray<string> => [
  ...new Set(responses.flatMap(({ headers }) => headers.map(([name]) => name.toLowerCase()))),
]

/** Whatever differs when the same is asked twice, such as the number of a request, tells nothing. */
export const steadyHeaders = (one: RawResponse, again: RawResponse): ((name: string) => boolean) => {
  const restless = new Set(namesOf([one, again]).filter((name) => headerOf(one, name) !== headerOf(again, name)))
  return (name) => name !== 'date' && !restless.has(name)
}
