import type { MouseEvent } from 'react'

/** Controls, texts that belong to one, and the cells of boxes and buttons: a press there is no press on the row. */
const ownPress = 'a, button, input, label, select, textarea, summary, [role=button], [tabindex], [data-own-press]'

/** The way to the page of a row: the first link of the cell that leads there. */
function findLink(row: Element): HTMLAnchorElement | null {
  return row.querySelector('[data-opens-row] a[href]')
}

/**
 * A press anywhere on a row opens it, as its link does: in a new tab with Ctrl, Cmd or the middle button. Selecting text opens
 * nothing, and neither does a press on a control, nor in a dialog that one of them has opened.
 */
function openRow(event: MouseEvent<HTMLElement>): void {
  const row = event.currentTarget
  const target = event.target as Element
  const isMiddle = event.button === 1
  if (event.defaultPrevented || !row.contains(target) || (event.button !== 0 && !isMiddle) || event.shiftKey) return
  const control = target.closest(ownPress)
  if (control && control !== row && row.contains(control)) return
  const selection = document.getSelection()
  if (selection && !selection.isCollapsed && selection.containsNode(row, true)) return
  const link = findLink(row)
  if (!link) return
  if (isMiddle || event.ctrlKey || event.metaKey) window.open(link.href, '_blank', 'noopener')
  else link.click()
}

/** Of every row: one without a page has no such link. */
export const openRowProps = { onClick: openRow, onAuxClick: openRow }
export const openRowClass = 'has-[[data-opens-row]_a]:cursor-pointer'
