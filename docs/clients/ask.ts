import { exact } from './exact.js'

export const ask = async <A>(target: string, options: RequestInit): Promise<A> => {
  const answer = await fetch(`http://localhost:8080${target}`, options)
  return { data: exact(await answer.text()), status: answer.status, headers: answer.headers, url: answer.url } as A
}
