import { headerOf, type RawResponse } from '../../doors/rawHttp.js'
import type { Send } from '../Conversation.js'

const namesIn = ({ body }: RawResponse): ReadonlyArray<string> =>
  (JSON.parse(body.toString()) as { readonly content: ReadonlyArray<{ readonly name: string }> }).content.map(
    ({ name }) => name,
  )

/** The query of the link to the next page. */
const nextOf = (response: RawResponse): string | undefined =>
  /^<[^>]*(\?[^>]*)>.*\bnext\b/.exec(headerOf(response, 'Link') ?? '')?.[1]

/** Whether the pages that follow each other by their links are the whole listing, in its order. */
export const pagesAreWhole =
  (target: string, limit: number) =>
  async (send: Send): Promise<ReadonlyArray<string>> => {
    const get = (query: string) => send({ method: 'GET', target: `${target}${query}` })
    const whole = namesIn(await get(''))
    const pages = Math.ceil(whole.length / limit)
    const names: Array<string> = []
    let query: string | undefined = `?limit=${limit}`
    for (let page = 1; query !== undefined && page <= pages; page += 1) {
      const response: RawResponse = await get(query)
      const found = namesIn(response)
      if (found.length > limit) return [`page ${page} has ${found.length} items, not ${limit} at most`]
      names.push(...found)
      query = nextOf(response)
    }
    return [
      ...(query === undefined ? [] : [`page ${pages}, the last, links to a next one`]),
      ...(JSON.stringify(names) === JSON.stringify(whole)
        ? []
        : [`the pages hold ${JSON.stringify(names)}, the listing ${JSON.stringify(whole)}`]),
    ]
  }
