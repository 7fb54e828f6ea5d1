/** Keys to press, such as `⌘K`. */
export function KeyHint({ keys }: { keys: string }) {
  return (
    <kbd className="rounded-sm border border-line bg-sunken px-1 font-sans text-muted text-xs whitespace-nowrap">
      {keys}
    </kbd>
  )
}
