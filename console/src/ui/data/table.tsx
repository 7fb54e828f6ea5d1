import { type KeyboardEvent, type ReactNode, useRef, useSyncExternalStore } from 'react'
import { classNames } from '../class-names.ts'
import { CardList } from './card-list.tsx'
import { CutEdges } from './cut-edges.tsx'
import { openRowClass, openRowProps } from './open-row.ts'
import { SelectAllBox, SelectRowBox, type TableSelection } from './selection-boxes.tsx'

export interface TableColumn<Row> {
  id: string
  label: string
  render: (row: Row) => ReactNode
  /** Numbers go to the end, so that their digits stand below each other. */
  align?: 'start' | 'end'
  /** The cell that names the row; the first column unless told. */
  isRowHeader?: boolean
  /** For a column of buttons: its heading is for screen readers only. */
  isLabelHidden?: boolean
  /** A press anywhere on a row follows the first link of this cell, if it has one. */
  opensRow?: boolean
  /** Classes for the width, such as `w-40 max-w-64`. */
  className?: string
}

interface TableProps<Row> {
  /** The name of the table. */
  label: string
  columns: readonly TableColumn<Row>[]
  rows: readonly Row[]
  getId: (row: Row) => string
  /** The name of a row, for its checkbox. Needed with `selection`. */
  getLabel?: (row: Row) => string
  /** The rows that are selected may be on other pages too; the box in the head is about the rows shown. */
  selection?: TableSelection
  /** Ids of the columns to show; all unless told. */
  visibleColumns?: readonly string[]
  /** The rows are those of an earlier question, and others are on their way. */
  isOutdated?: boolean
  /** Cards instead of a table on a phone. Without it the table scrolls sideways there. */
  hasCards?: boolean
  /** Classes of the region that scrolls, such as `max-h-96`: then the head stays in sight. */
  className?: string
}

/**
 * A plain table, which every screen reader knows and which 100 rows do not slow down. Up and down move the focus to the
 * same control of the next row; Shift with a press on a box selects all rows between.
 */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, getId, getLabel, selection, visibleColumns, isOutdated, hasCards, className } = props
  const isNarrow = useMediaQuery('(width < 40rem)')
  const lastToggled = useRef<string>(undefined)
  const region = useRef<HTMLElement>(null)
  const shown = visibleColumns ? columns.filter(({ id }) => visibleColumns.includes(id)) : columns
  const rowHeader = (shown.find(({ isRowHeader }) => isRowHeader) ?? shown[0])?.id
  const ids = rows.map(getId)

  const toggle = (id: string, isSelected: boolean, isRange: boolean) => {
    const from = isRange && lastToggled.current ? ids.indexOf(lastToggled.current) : -1
    const to = ids.indexOf(id)
    const concerned = from < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1)
    const selected = new Set(selection?.selected)
    for (const each of concerned) isSelected ? selected.add(each) : selected.delete(each)
    lastToggled.current = id
    selection?.onChange(selected)
  }

  if (hasCards && isNarrow)
    return <CardList {...{ label, rows, getId, getLabel, selection, isOutdated }} columns={shown} onToggle={toggle} />
  return (
    <div className={classNames('relative flex flex-col', className)}>
      <section
        ref={region}
        // Not the name of the section around it.
        aria-label={`${label}, table`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it has to be reachable by keyboard
        tabIndex={0}
        className="relative min-h-0 overflow-auto rounded-lg border border-line bg-surface"
      >
        <table
          aria-label={label}
          aria-busy={isOutdated}
          onKeyDown={moveBetweenRows}
          className={classNames('w-full border-collapse text-left transition-opacity', isOutdated && 'opacity-85')}
        >
          <thead className="sticky top-0 z-10 bg-sunken">
            <tr>
              {selection && (
                <th scope="col" className="w-8 py-0 pl-3">
                  <SelectAllBox {...{ ids, selection, isOutdated }} />
                </th>
              )}
              {shown.map((column) => (
                <th
                  key={column.id}
                  scope="col"
                  className={classNames(
                    'px-3 py-2 font-medium text-muted text-xs whitespace-nowrap',
                    column.align === 'end' && 'text-right',
                    column.className,
                  )}
                >
                  {column.isLabelHidden ? <span className="sr-only">{column.label}</span> : column.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {rows.map((row) => {
              const id = getId(row)
              const isSelected = selection?.selected.has(id) ?? false
              return (
                // The link is there for the keyboard.
                <tr
                  key={id}
                  {...openRowProps}
                  className={classNames(openRowClass, isSelected ? 'bg-accent-soft' : 'hover:bg-hover/60')}
                >
                  {selection && (
                    <td data-own-press className="py-0 pl-3">
                      <SelectRowBox
                        label={getLabel?.(row) ?? id}
                        isSelected={isSelected}
                        onToggle={(isNowSelected, isRange) => toggle(id, isNowSelected, isRange)}
                      />
                    </td>
                  )}
                  {shown.map((column) => {
                    const look = classNames(
                      'px-3 py-1.5 align-middle',
                      column.align === 'end' && 'text-right',
                      column.className,
                    )
                    const opens = {
                      'data-opens-row': column.opensRow || undefined,
                      'data-own-press': column.isLabelHidden || undefined,
                    }
                    return column.id === rowHeader ? (
                      <th key={column.id} {...opens} scope="row" className={classNames(look, 'font-normal')}>
                        {column.render(row)}
                      </th>
                    ) : (
                      <td key={column.id} {...opens} className={look}>
                        {column.render(row)}
                      </td>
                    )
                  })}
                </tr>
              )
            })}
          </tbody>
        </table>
      </section>
      <CutEdges region={region} />
    </div>
  )
}

const focusable = 'a[href], button:not(:disabled), input:not(:disabled)'

function moveBetweenRows(event: KeyboardEvent<HTMLTableElement>) {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const control = (event.target as HTMLElement).closest<HTMLElement>(focusable)
  const cell = control?.closest<HTMLTableCellElement>('td, th')
  if (!step || !control || !cell || event.defaultPrevented || isTextField(control)) return
  const row = cell.parentElement as HTMLTableRowElement
  const place = [...cell.querySelectorAll(focusable)].indexOf(control)
  for (let next = sibling(row, step); next; next = sibling(next, step)) {
    const controls = next.cells[cell.cellIndex]?.querySelectorAll<HTMLElement>(focusable)
    const target = controls?.[Math.min(place, controls.length - 1)]
    if (!target) continue
    event.preventDefault()
    target.focus()
    return
  }
}

function sibling(row: HTMLTableRowElement, step: number): HTMLTableRowElement | null {
  const rows = row.closest('table')?.rows
  return rows?.item(row.rowIndex + step) ?? null
}

function isTextField(control: HTMLElement): boolean {
  return control instanceof HTMLInputElement && control.type !== 'checkbox' && control.type !== 'radio'
}

/** True if the window fits the query, such as `(width < 40rem)`. */
function useMediaQuery(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    () => matchMedia(query).matches,
  )
}
