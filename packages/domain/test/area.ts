import * as Area from '../src/Area.js'
import { userId } from './literals.js'

/** Some account's area; which one does not matter. */
export const area: Area.Area = { owner: userId('7'), location: Area.location('here') }
