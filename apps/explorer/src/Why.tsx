import { type DirectoryItem, type Visibility, visibilities } from '@canopy/client'
import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { copy } from './announcements.js'
import { Access, Chain } from './Chain.js'
import type { DirectoryTree } from './DirectoryTree.js'
import { formatCount } from './format.js'
import { rootName } from './Header.js'
import { IconButton, kindOf } from './icons.js'
import type { Listing, ListingLoader } from './ListingLoader.js'
import { lazily } from './lazy.js'
import { Visible } from './Name.js'
import { UserField, useOwnUser } from './PublicLink.js'
import { useIsWide } from './panels.js'
import { words } from './preferences.js'
import { quoted } from './quoted.js'
import { Changed, Size } from './Row.js'
import { childOf, isPreview, type Place, pathOf } from './routes.js'
import { useTree } from './useTree.js'
import type { ChainNode } from './visitor.js'

const useTreemap = lazily(() => import('./Treemap.js'))

interface SizesProps {
  readonly listing: Listing
  readonly loader: ListingLoader
  readonly tree: DirectoryTree | undefined
}

/** The map of sizes, loaded on demand. */
const Sizes = ({ listing, loader, tree }: SizesProps) => {
  const [isShown, setShown] = useState(false)
  const treemap = useTreemap(isShown)
  return (
    <section class="sizes">
      <h3>{words().map.title}</h3>
      {!isShown && (
        <button type="button" onClick={() => setShown(true)}>
          {words().map.show}
        </button>
      )}
      {treemap && tree && <treemap.Treemap listing={listing} loader={loader} tree={tree} />}
    </section>
  )
}

interface WhyProps {
  readonly listing: Listing
  readonly loader: ListingLoader
  /** The selected entry; `undefined` for the directory itself. */
  readonly item: DirectoryItem | undefined
  /** From the root to the directory itself. */
  readonly chain: ReadonlyArray<ChainNode>
  readonly loadAll: () => void
}

const formatEntryCount = (tree: DirectoryTree | undefined, names: ReadonlyArray<string>): string | undefined => {
  const content = tree?.find(names)?.content
  if (content === undefined) return undefined
  return `${formatCount(content.directories.length + content.files)}${content.next === undefined ? '' : '+'}`
}

interface FactsProps {
  readonly item: DirectoryItem | undefined
  readonly name: string
  /** `undefined` for files, and in a preview, whose counts would include hidden entries. */
  readonly entryCount: string | undefined
}

const Facts = ({ item, name, entryCount }: FactsProps) => {
  const { kind, kinds, entriesLabel, columns } = words()
  const facts: ReadonlyArray<readonly [label: string, fact: ComponentChildren]> = [
    [kind, kinds[kindOf({ is_file: item?.is_file ?? false, name })]],
    [entriesLabel, entryCount],
    [columns.size, item?.is_file && <Size bytes={item.size} />],
    [columns.time, item && <Changed seconds={item.last_modified} />],
  ]
  return (
    <dl class="facts">
      {facts.map(
        ([label, fact]) =>
          fact !== undefined &&
          fact !== false && (
            <Fragment key={label}>
              <dt>{label}</dt>
              <dd>{fact}</dd>
            </Fragment>
          ),
      )}
    </dl>
  )
}

/** The command that changes the visibility. The page itself is read-only. */
const SetVisibility = ({ place }: { readonly place: Place }) => {
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
              {visibilities.map((each) => (
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

/** Explains the visibility of the selected entry, or of the directory itself. */
export const Why = ({ listing, loader, item, chain, loadAll }: WhyProps) => {
  const { place } = listing
  const tree = useTree(
    place,
    chain.map(({ visibility }) => visibility),
    listing,
  )
  // A person who opens the sheet asks for the whole chain.
  const isWide = useIsWide()
  useEffect(() => {
    if (!isWide) loadAll()
  }, [isWide])
  const name = item?.name ?? place.names.at(-1) ?? rootName(place)
  const preview = isPreview(place.view)
  const isOwner = place.view.as === 'owner'
  const subject = item === undefined ? chain : [...chain, item]
  const target = item === undefined ? place : childOf(place, item.name)
  const hasCount = item?.is_file !== true && !preview
  const entryCount = hasCount ? (formatEntryCount(tree, target.names) ?? (item === undefined ? '' : '—')) : undefined
  return (
    <>
      <h2>
        <Visible text={name} />
      </h2>
      <Access chain={subject} />
      <Facts item={item} name={name} entryCount={entryCount} />
      <h3>{words().chain.title}</h3>
      <Chain chain={subject} isOwner={isOwner} loadAll={loadAll} />
      {isOwner && !preview && <SetVisibility key={target.names.join('/')} place={target} />}
      {!preview && <Sizes listing={listing} loader={loader} tree={tree} />}
    </>
  )
}
