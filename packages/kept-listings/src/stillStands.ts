import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Notices } from './Notices.js'
import type { Place } from './Place.js'

/** Whether what stands at the root of the area is what a place is kept for. */
export const stillStands = (notices: Pick<Notices, 'root'>, { area, root }: Place): boolean =>
  pipe(
    notices.root(area),
    O.exists(({ identity }) => identity === root),
  )
