import { type FocusEvent, type PointerEvent, useCallback, useEffect, useRef, useState } from 'react'

/** Of a group's element: its place in the column. */
export const groupPlaceAttribute = 'data-group-place'

/**
 * Which groups of filters keep the order of their values: the one that the pointer is over or has the focus of the keyboard in, and
 * those above it, whose height would move it. They take the new order when the pointer and the focus are elsewhere. A finger
 * counts until it touches something outside.
 */
export function useHeldGroups() {
  const column = useRef<HTMLDivElement>(null)
  const pointed = useRef(-1)
  const focused = useRef(-1)
  const [last, setLast] = useState(-1)
  const update = useCallback(() => setLast(Math.max(pointed.current, focused.current)), [])
  useEffect(() => {
    const onPointerDown = ({ target }: Event) => {
      if (target instanceof Node && column.current?.contains(target)) return
      pointed.current = -1
      update()
    }
    document.addEventListener('pointerdown', onPointerDown)
    return () => document.removeEventListener('pointerdown', onPointerDown)
  }, [update])
  return {
    isHeld: (place: number) => place <= last,
    columnProps: {
      ref: column,
      onPointerOver: ({ target }: PointerEvent) => {
        pointed.current = placeOf(target)
        update()
      },
      onPointerLeave: ({ pointerType }: PointerEvent) => {
        if (pointerType === 'touch') return
        pointed.current = -1
        update()
      },
      onFocus: () => {
        // Not the event's target: a group leads the focus on to where it was.
        const target = document.activeElement
        focused.current = target?.matches(':focus-visible') ? placeOf(target) : -1
        update()
      },
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
        if (currentTarget.contains(relatedTarget)) return
        focused.current = -1
        update()
      },
    },
  }
}

function placeOf(target: EventTarget): number {
  const group = (target as Element).closest(`[${groupPlaceAttribute}]`)
  return group ? Number(group.getAttribute(groupPlaceAttribute)) : -1
}
