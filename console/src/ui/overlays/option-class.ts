/** One line of a menu, a list or a palette. */
export const optionClass =
  'flex min-h-8 pointer-coarse:min-h-10 cursor-default items-center gap-2 rounded-sm px-2 py-1 outline-none select-none ' +
  'data-focused:bg-hover data-disabled:text-muted [&_svg]:size-4 [&_svg]:shrink-0'
