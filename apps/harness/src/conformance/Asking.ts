import { setTimeout } from 'node:timers/promises'
import { type BaseUrl, headerOf, type RawRequest, type RawResponse, type Reading, request } from '@canopy/testkit'
import * as Credentials from './Credentials.js'

/** How a service is asked, and its answers are read. */
export interface Asking {
  readonly service: BaseUrl.BaseUrl
  readonly credentials: Credentials.Credentials
  readonly reading: Reading
}

const askOnce = async ({ service, credentials }: Asking, asked: RawRequest): Promise<RawResponse> =>
  Credentials.concealed(
    credentials,
    await request(service, { ...asked, target: Credentials.realTarget(credentials, asked.target) }),
  )

/** Seconds after which a service that has had enough for now may be asked again. */
const pauseAfter = (answer: RawResponse): number | undefined => {
  const after = headerOf(answer, 'Retry-After') ?? ''
  return (answer.status === 429 || answer.status === 503) && /^[0-9]{1,3}$/.test(after) ? Number(after) : undefined
}

const patience = 3

/**
 * Asks with the real credentials; what comes back speaks of the fixture's. A service that limits its clients is waited
 * for, as it asks for by `Retry-After`.
 */
export const send =
  (asking: Asking) =>
  async (asked: RawRequest): Promise<RawResponse> => {
    let answer = await askOnce(asking, asked)
    for (let tries = 0; tries < patience; tries += 1) {
      const pause = pauseAfter(answer)
      if (pause === undefined) return answer
      await setTimeout(pause * 1000)
      answer = await askOnce(asking, asked)
    }
    return answer
  }
