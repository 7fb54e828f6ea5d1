export default {
  test: {
    projects: [{ test: { name: 'main', root: import.meta.dirname, include: ['*.sample.mjs'] } }],
  },
}
