import { parse } from 'lossless-json'

/** The types of a generator, with a bigint for each number. */
export type Exact<A> = A extends number ? bigint : A extends object ? { [Key in keyof A]: Exact<A[Key]> } : A

/** JSON whose integers are bigints, to the last digit. */
export const exact = <A>(text: string) =>
  parse(text, null, (digits) => (/^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits))) as Exact<A>

/** What `after` is for the next page; nothing after the last one. */
export const nextOf = (answer: { headers: Headers; url: string }) => {
  const [, link] = /<([^>]*)>; rel="next"/.exec(answer.headers.get('Link') ?? '') ?? []
  return link === undefined ? undefined : (new URL(link, answer.url).searchParams.get('after') ?? undefined)
}
