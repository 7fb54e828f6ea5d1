import type { ReactNode } from 'react'
import { formatNumber } from '#lib/format.ts'
import { classNames } from '../class-names.ts'
import { openRowClass, openRowProps } from './open-row.ts'
import { SelectAllBox, SelectRowBox, type TableSelection } from './selection-boxes.tsx'

interface CardColumn<Row> {
  id: string
  label: string
  isLabelHidden?: boolean
  opensRow?: boolean
  render: (row: Row) => ReactNode
}

interface CardListProps<Row> {
  label: string
  /** The first one is the head of the card. */
  columns: readonly CardColumn<Row>[]
  rows: readonly Row[]
  getId: (row: Row) => string
  getLabel?: ((row: Row) => string) | undefined
  selection?: TableSelection | undefined
  isOutdated?: boolean | undefined
  onToggle: (id: string, isSelected: boolean, isRange: boolean) => void
}

/** A table where the window is too narrow for one: a card for each row, with the names of the columns in it. */
export function CardList<Row>(props: CardListProps<Row>) {
  const { label, columns, rows, getId, getLabel, selection, isOutdated, onToggle } = props
  const [head, ...others] = columns
  const ids = rows.map(getId)
  return (
    <div aria-busy={isOutdated} className={classNames('transition-opacity', isOutdated && 'opacity-85')}>
      {selection && (
        <div className="flex min-h-10 items-center gap-3 px-3">
          <SelectAllBox {...{ ids, selection, isOutdated }} />
          <span aria-hidden>All {formatNumber(ids.length)}</span>
        </div>
      )}
      <ul aria-label={label} className="divide-y divide-line rounded-lg border border-line bg-surface">
        {rows.map((row) => {
          const id = getId(row)
          const isSelected = selection?.selected.has(id) ?? false
          return (
            // The link is there for the keyboard.
            <li
              key={id}
              {...openRowProps}
              className={classNames(openRowClass, 'flex gap-3 p-3', isSelected && 'bg-accent-soft')}
            >
              {selection && (
                <SelectRowBox
                  label={getLabel?.(row) ?? id}
                  isSelected={isSelected}
                  onToggle={(isNowSelected, isRange) => onToggle(id, isNowSelected, isRange)}
                />
              )}
              <div className="min-w-0 flex-1">
                <div data-opens-row={head?.opensRow || undefined}>{head?.render(row)}</div>
                <dl className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5">
                  {others.map((column) => {
                    const content = column.render(row)
                    if (content === null || content === undefined || content === false || content === '') return null
                    return (
                      <div key={column.id} className="flex max-w-full min-w-0 gap-1.5 has-[dd:empty]:hidden">
                        <dt className={column.isLabelHidden ? 'sr-only' : 'shrink-0 text-muted'}>{column.label}</dt>
                        <dd data-opens-row={column.opensRow || undefined} className="min-w-0">
                          {content}
                        </dd>
                      </div>
                    )
                  })}
                </dl>
              </div>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
