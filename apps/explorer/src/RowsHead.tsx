import type { Order } from './order.js'
import { changePreferences, words } from './preferences.js'

const ariaSort = (order: Order, by: Order['by']): 'ascending' | 'descending' | 'none' =>
  order.by === by ? (order.descending ? 'descending' : 'ascending') : 'none'

interface SortableProps {
  readonly order: Order
  readonly by: Order['by']
}

const Sortable = ({ order, by }: SortableProps) => {
  const isSorted = order.by === by
  const chosenOrder = { ...order, by, descending: isSorted && !order.descending }
  return (
    <div role="columnheader" class={`cell-${by}`} aria-sort={ariaSort(order, by)}>
      <button type="button" onClick={() => changePreferences({ chosenOrder })}>
        {words().columns[by]}
        <span class="direction" aria-hidden="true">
          {isSorted ? (order.descending ? '↓' : '↑') : ''}
        </span>
      </button>
    </div>
  )
}

export const RowsHead = ({ order }: { readonly order: Order }) => (
  <div role="row" class="row head" aria-rowindex={1}>
    <Sortable order={order} by="name" />
    <div role="columnheader" class="cell-visibility">
      {words().columns.visibility}
    </div>
    <Sortable order={order} by="size" />
    <Sortable order={order} by="time" />
    <div role="columnheader" class="cell-actions">
      <span class="away">{words().copyLink}</span>
    </div>
  </div>
)
