import type { TreeFile } from '@canopy/client'
import type { ComponentChildren } from 'preact'
import { formatCount, formatTime } from './format.js'
import { Icon, kindOf } from './icons.js'
import { Visible } from './Name.js'
import { words } from './preferences.js'
import { Changed, Size, VisibilityMark } from './Row.js'
import { type Place, pathOf } from './routes.js'

interface FileCardProps {
  readonly place: Place
  readonly file: TreeFile
  readonly children: ComponentChildren
}

/** All facts about one file. */
export const FileCard = ({ place, file, children }: FileCardProps) => {
  const kind = kindOf({ is_file: true, name: file.name })
  return (
    <section class="card">
      <h1>
        <Icon name={kind} class={kind} />
        <Visible text={file.name} />
      </h1>
      <p class="lead">
        <VisibilityMark visibility={file.visibility} />
        {words().meaning(file.visibility)}
      </p>
      <dl class="facts">
        <dt>{words().kind}</dt>
        <dd>{words().kinds[kind]}</dd>
        <dt>{words().columns.size}</dt>
        <dd>
          <Size bytes={file.size} /> <span class="quiet">({words().bytes(formatCount(file.size))})</span>
        </dd>
        <dt>{words().columns.time}</dt>
        <dd>
          <Changed seconds={file.last_modified} /> <span class="quiet">({formatTime(file.last_modified).date})</span>
        </dd>
        <dt>{words().path}</dt>
        <dd>
          <Visible text={pathOf(place)} />
        </dd>
      </dl>
      {children}
    </section>
  )
}
