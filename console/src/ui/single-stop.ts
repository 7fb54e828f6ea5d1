import { useCallback } from 'react'

/** Which keys move the focus inside: up and down, left and right, or both pairs. */
type StopKeys = 'vertical' | 'horizontal' | 'both'

/**
 * Makes the controls of an element one stop for Tab: the arrow keys move between them, Home and End go to the first and the last,
 * Tab leads past all of them, and later comes back to the one that was left. Date fields, native lists and texts of several lines
 * need the arrow keys themselves and stay stops of their own.
 *
 * Each control stays in the order of Tab, and a press of it is led past the others: a list that scrolls would become a stop
 * of its own if nothing inside were in that order.
 */
export function useSingleStop(keys: StopKeys) {
  return useCallback((element: HTMLElement | null) => (element ? keepSingleStop(element, keys) : undefined), [keys])
}

const controls = 'a[href], button:not(:disabled), input:not(:disabled, [type=date])'

function keepSingleStop(container: HTMLElement, keys: StopKeys): () => void {
  const findItems = () =>
    [...container.querySelectorAll<HTMLElement>(controls)].filter(
      (control) => control.tabIndex >= 0 && !isOtherRadio(control),
    )
  /** The control that has the focus, or had it last. */
  let stop: HTMLElement | undefined
  let place = 0
  let isFocusInside = false

  const onFocusIn = ({ target, relatedTarget }: FocusEvent) => {
    restoreOrder()
    const items = findItems()
    isFocusInside = true
    if (!items.includes(target as HTMLElement)) return
    const isEntered = isTabbing && !container.contains(relatedTarget as Node | null)
    const wanted = stop && items.includes(stop) ? stop : items[0]
    if (isEntered && wanted && wanted !== target) return wanted.focus()
    stop = target as HTMLElement
    place = items.indexOf(stop)
  }
  const onFocusOut = ({ target }: FocusEvent) =>
    // A removed element loses the focus first, and leaves the page a moment later.
    queueMicrotask(() => {
      if ((target as HTMLElement).isConnected) isFocusInside = container.contains(document.activeElement)
    })
  const onChange = () => {
    const focused = document.activeElement
    // A radio button has the focus before it is chosen.
    if (focused instanceof HTMLInputElement && focused.type === 'radio') stop = focused
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const items = findItems()
    const at = items.indexOf(event.target as HTMLElement)
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Tab') return leadPast(container, items[at])
    const next = event.shiftKey ? undefined : nextItem(items, at, event.key, keys)
    if (!next) return
    event.preventDefault()
    event.stopPropagation()
    next.focus()
  }
  const observer = new MutationObserver(() => {
    if (!isFocusInside || !stop || stop.isConnected || document.activeElement !== document.body) return
    findItems()
      .slice(0, place + 1)
      .at(-1)
      ?.focus()
  })

  document.addEventListener('keydown', noticeKey, true)
  observer.observe(container, { subtree: true, childList: true })
  container.addEventListener('focusin', onFocusIn)
  container.addEventListener('focusout', onFocusOut)
  container.addEventListener('change', onChange)
  // Before the controls' own: radio buttons would change their value.
  container.addEventListener('keydown', onKeyDown, true)
  return () => {
    observer.disconnect()
    container.removeEventListener('focusin', onFocusIn)
    container.removeEventListener('focusout', onFocusOut)
    container.removeEventListener('change', onChange)
    container.removeEventListener('keydown', onKeyDown, true)
  }
}

let isTabbing = false
let restoreOrder = () => {}

/** The focus moves right after the event; a program that moves it later is not led elsewhere. A next key may come before a timer. */
function noticeKey({ key }: KeyboardEvent): void {
  restoreOrder()
  isTabbing = key === 'Tab'
  setTimeout(() => {
    isTabbing = false
  })
}

/** Takes all others out of the order of Tab for as long as the browser needs to move the focus. */
function leadPast(container: HTMLElement, item: HTMLElement | undefined): void {
  const others = [...container.querySelectorAll<HTMLElement>(`${controls}, ul`)]
    .filter((each) => each !== item)
    .map((each) => ({ each, before: each.getAttribute('tabindex') }))
  for (const { each } of others) each.tabIndex = -1
  restoreOrder = () => {
    for (const { each, before } of others.splice(0)) {
      if (before === null) each.removeAttribute('tabindex')
      else each.setAttribute('tabindex', before)
    }
  }
  setTimeout(restoreOrder)
}

/** Undefined where the key is not one of ours; the item itself at an end. */
function nextItem(items: HTMLElement[], at: number, key: string, keys: StopKeys): HTMLElement | undefined {
  const isText = isTextField(items[at])
  const isVertical = keys !== 'horizontal'
  const isHorizontal = keys !== 'vertical' && !isText
  if ((key === 'ArrowDown' && isVertical) || (key === 'ArrowRight' && isHorizontal)) return items[at + 1] ?? items[at]
  if ((key === 'ArrowUp' && isVertical) || (key === 'ArrowLeft' && isHorizontal)) return items[at - 1] ?? items[at]
  if (isText) return undefined
  if (key === 'Home') return items[0]
  return key === 'End' ? items.at(-1) : undefined
}

/** Of radio buttons the chosen one counts; left and right choose another. */
function isOtherRadio(control: HTMLElement): boolean {
  return control instanceof HTMLInputElement && control.type === 'radio' && !control.checked
}

function isTextField(control: HTMLElement | undefined): boolean {
  return control instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(control.type)
}
