import { AccessToken, type Area, UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { RegistryPorts } from '../Subject.js'
import { about, answers, type RegistryClaim } from './RegistryClaim.js'

const saidGrant = ({ area, scope }: Area.Grant): string => `account ${UserId.toDecimal(area.owner)} from ${scope}`
const saidArea = ({ owner }: Area.Area): string => `account ${UserId.toDecimal(owner)}`

const tokenSays = (text: string, expected: string): RegistryClaim =>
  about(`the token ${text}`, AccessToken.codec.decode(text), (token) =>
    answers(`what the token ${text} opens`, (ports) => ports.areaOfToken(token), saidGrant, expected),
  )

const userSays = (text: string, expected: string): RegistryClaim =>
  about(`the user ${text}`, UserId.codec.decode(text), (user) =>
    answers(`the area of user ${text}`, (ports) => ports.areaOfUser(user), saidArea, expected),
  )

export const opens = (token: string, account: string, scope = '/'): RegistryClaim =>
  tokenSays(token, `account ${account} from ${scope}`)

export const tokenFails = (token: string, failure: 'invalid token' | 'not verified'): RegistryClaim =>
  tokenSays(token, failure)

export const userHasAnArea = (id: string): RegistryClaim => userSays(id, `account ${id}`)

export const userIsDenied = (id: string): RegistryClaim => userSays(id, 'permission denied')

/** The token opens the area that belongs to the user. */
export const opensTheAreaOf = (tokenText: string, id: string): RegistryClaim =>
  about(`the token ${tokenText}`, AccessToken.codec.decode(tokenText), (token) =>
    about(`the user ${id}`, UserId.codec.decode(id), (user) => async (ports) => {
      const area = await ports.areaOfUser(user)()
      const expected = E.isLeft(area) ? area.left.error : area.right.location
      return answers(
        `the location that the token ${tokenText} opens`,
        ({ areaOfToken }) => areaOfToken(token),
        ({ area: { location } }) => location,
        expected,
      )(ports)
    }),
  )

const locationOf = (ports: RegistryPorts, id: string): Promise<string> =>
  pipe(
    UserId.codec.decode(id),
    TE.fromEither,
    TE.flatMap((user) => TE.mapLeft(() => [])(ports.areaOfUser(user))),
    TE.match(
      () => 'nowhere',
      ({ location }) => location,
    ),
  )()

/** No two of these users have their area in the same place. */
export const areasAreApart =
  (ids: ReadonlyArray<string>): RegistryClaim =>
  async (ports) => {
    const taken = new Map<string, string>()
    const violations: Array<string> = []
    for (const id of ids) {
      const location = await locationOf(ports, id)
      const other = taken.get(location)
      if (other !== undefined) violations.push(`users ${other} and ${id} have their area in the same place`)
      taken.set(location, id)
    }
    return violations
  }
