import type { TreeFile } from '@canopy/client'
import type { ComponentChildren } from 'preact'
import { announce } from './announcements.js'
import { useFilesOff } from './fileRequests.js'
import { rootName } from './Header.js'
import { Icon, kindOf } from './icons.js'
import { useKeys } from './keys.js'
import { lazily } from './lazy.js'
import { Name, Visible } from './Name.js'
import { follow, navigate } from './navigation.js'
import { words } from './preferences.js'
import { Changed, Size, VisibilityMark } from './Row.js'
import { type Place, parentOf, placeHref } from './routes.js'
import { fileBeside } from './siblings.js'

const useView = lazily(() => import('./FileView.js'))

/** Shows a neighbour in place of this file, so that Back returns to the folder. */
const goBeside = async (place: Place, step: 1 | -1): Promise<void> => {
  const beside = await fileBeside(place, step)
  if (beside === 'failed') announce(words().notMore)
  else if (beside === 'none') announce(step > 0 ? words().files.last : words().files.first)
  else navigate(placeHref(beside), {}, 'replace')
}

const save = async (place: Place): Promise<void> => (await import('./saving.js')).save({ place })

const FileActions = ({ place }: { readonly place: Place }) => {
  const isOff = useFilesOff()
  const parent = parentOf(place)
  useKeys({ ArrowLeft: () => void goBeside(place, -1), ArrowRight: () => void goBeside(place, 1) })
  return (
    <div class="file-actions">
      {parent !== undefined && (
        <a
          class="button"
          href={placeHref(parent)}
          onClick={(event) => follow(event, { selected: place.names.at(-1) ?? '' })}
        >
          <Icon name="up" />
          <Name name={parent.names.at(-1) ?? rootName(parent)} />
        </a>
      )}
      <button type="button" class="square" aria-label={words().files.previous} onClick={() => goBeside(place, -1)}>
        ←
      </button>
      <button type="button" class="square" aria-label={words().files.next} onClick={() => goBeside(place, 1)}>
        →
      </button>
      {!isOff && (
        <button type="button" class="main" onClick={() => save(place)}>
          {words().files.download}
        </button>
      )}
    </div>
  )
}

interface FileCardProps {
  readonly place: Place
  readonly file: TreeFile
  /** Explains the visibility. */
  readonly children: ComponentChildren
}

/** A file: its content, and each fact about it once. */
export const FileCard = ({ place, file, children }: FileCardProps) => {
  const view = useView()
  const isOff = useFilesOff()
  const kind = kindOf({ is_file: true, name: file.name })
  return (
    <section class="card">
      <h1>
        <Icon name={kind} class={kind} label={words().kinds[kind]} />
        <Visible text={file.name} />
      </h1>
      <p class="lead">
        <VisibilityMark visibility={file.visibility} />
        <span>
          <Size bytes={file.size} />, <Changed seconds={file.last_modified} />
        </span>
      </p>
      <FileActions place={place} />
      {isOff ? <p class="quiet">{words().files.failures.off}</p> : view && <view.FileView place={place} file={file} />}
      {children}
    </section>
  )
}
