import type { Visibility } from '@canopy/client'
import { useState } from 'preact/hooks'
import { copy } from './announcements.js'
import { IconButton } from './icons.js'
import { UserField, useOwnUser } from './PublicLink.js'
import { words } from './preferences.js'
import { quoted } from './quoted.js'
import { type Place, pathOf } from './routes.js'

const choices: ReadonlyArray<Visibility> = ['public', 'hidden', 'private']

/** The command that changes the visibility. The page itself is read-only. */
export const SetVisibility = ({ place }: { readonly place: Place }) => {
  const [visibility, setChosen] = useState<Visibility>('public')
  const [user, setUser] = useOwnUser()
  const command = `canopy visibility set ${user ?? 'USER'} ${quoted(pathOf(place))} ${visibility}`
  return (
    <details class="command">
      <summary>{words().change.title}</summary>
      <p class="quiet">{words().change.explain}</p>
      {user === undefined ? (
        <UserField id="command-user" onUser={setUser} />
      ) : (
        <>
          <label class="choose">
            {words().columns.visibility}
            <select value={visibility} onChange={(event) => setChosen(event.currentTarget.value as Visibility)}>
              {choices.map((each) => (
                <option key={each} value={each}>
                  {words().visibility[each]}
                </option>
              ))}
            </select>
          </label>
          <div class="together">
            <code tabIndex={0}>{command}</code>
            <IconButton icon="copy" label={words().change.copy} onClick={() => copy(command, words().copied.command)} />
          </div>
        </>
      )}
    </details>
  )
}
