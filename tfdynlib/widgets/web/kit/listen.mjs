// Between a card and its model: listening, and telling a kernel.

const SYNC = 80; // ms between messages to a kernel while a control moves

/** Listening to the model: every `fn` once per turn, however many keys changed. */
export function listening(model, guard) {
  const waiting = new Set();
  const undo = [];
  const flush = guard(() => {
    for (const fn of waiting) { // those added on the way have their turn too
      waiting.delete(fn);
      fn();
    }
  });
  return {
    flush,
    on(keys, fn) {
      const heard = () => {
        if (waiting.size === 0) queueMicrotask(flush);
        waiting.add(fn);
      };
      for (const key of keys) {
        model.on(`change:${key}`, heard);
        undo.push(() => model.off(`change:${key}`, heard));
      }
    },
    close: () => undo.forEach((fn) => fn()),
  };
}

/** Throttled `save_changes`: a kernel gets the newest value, not every one. */
export function saving(model) {
  let timer = 0;
  return {
    soon() {
      timer ||= setTimeout(() => {
        timer = 0;
        model.save_changes();
      }, SYNC);
    },
    close: () => clearTimeout(timer),
  };
}
