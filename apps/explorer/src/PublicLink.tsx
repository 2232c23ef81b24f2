// The link that an owner gives to visitors. It needs the user id, which a token does not tell.
import { useState } from 'preact/hooks'
import { copy } from './announcements.js'
import { keep, ownUser } from './credentials.js'
import { Dialog } from './Dialog.js'
import { knownVisibility } from './knownVisibilities.js'
import { words } from './preferences.js'
import { isUserId, type Place, placeHref } from './routes.js'
import { Field } from './WaysIn.js'

const copyPublicLink = (place: Place, user: string): Promise<void> => {
  const visibility = knownVisibility(place)
  const isPrivate = typeof visibility === 'object' && visibility.visibility === 'private'
  const link = placeHref({ view: { as: 'visitor', user }, names: place.names })
  return copy(link, isPrivate ? words().copied.privateLink : words().copied.publicLink)
}

/** The owner's user id, once it is given. */
export const useOwnUser = () => useState(ownUser)

interface UserFieldProps {
  readonly id: string
  readonly onUser: (user: string) => void
}

/** Asks for the owner's user id, which the tab keeps. */
export const UserField = ({ id, onUser }: UserFieldProps) => (
  <Field
    id={id}
    label={words().userId}
    hint={words().userIdHint}
    button={words().save}
    submit={(text) => {
      if (!isUserId(text)) return words().notUserId
      keep('user', text)
      onUser(text)
      return undefined
    }}
  />
)

export const PublicLinkButton = ({ place }: { readonly place: Place }) => {
  const [isAsking, setAsking] = useState(false)
  const onClick = (): void => {
    const user = ownUser()
    if (user === undefined) setAsking(true)
    else void copyPublicLink(place, user)
  }
  return (
    <>
      <button type="button" onClick={onClick}>
        {words().copyPublicLink}
      </button>
      {isAsking && (
        <Dialog title={words().copyPublicLink} close={() => setAsking(false)}>
          <UserField
            id="own-user"
            onUser={(user) => {
              setAsking(false)
              void copyPublicLink(place, user)
            }}
          />
        </Dialog>
      )}
    </>
  )
}
