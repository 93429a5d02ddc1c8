// Run in the page: the pure modules held against random texts. Gives the number of cases, or throws.
async (seed) => {
  const { ExactText } = await import("/page/text/exact.js");
  const { hunksOf, changeBetween } = await import("/page/text/hunks.js");
  const { ReviewState } = await import("/page/text/review-state.js");
  const { EditorState, EditorView } = await import("/page/vendor/bundle.js");

  let random = seed;
  const below = (limit) => {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    return Math.floor((random / 2 ** 32) * limit);
  };
  const pick = (list) => list[below(list.length)];
  const line = () => pick(["", "a", "b", "cc", "same", "😀", "a b"]);
  const text = (breaks) => {
    let result = "";
    for (let count = below(12); count > 0; count--) result += line() + pick(breaks);
    return result + line();
  };
  const check = (holds, ...about) => {
    if (!holds) throw new Error(`does not hold: ${JSON.stringify(about)}`);
  };
  const mutated = (original, breaks) => {
    const lines = original.split(/(?<=\n|\r(?!\n))/);
    return lines
      .flatMap((each) => (below(5) ? [each] : pick([[], [line() + pick(breaks)], [each, line() + pick(breaks)]])))
      .join("");
  };

  let cases = 0;
  for (let round = 0; round < 250; round++) {
    const breaks = pick([["\n"], ["\r\n"], ["\n", "\r\n"], ["\n", "\r\n", "\r"]]);
    const old = text(breaks);
    const proposed = pick([mutated(old, breaks), text(breaks)]);
    const exact = ExactText.parse(old);
    check(exact.toString() === old, "parsing keeps every break", old);
    for (let pos = 0; pos <= exact.doc.length; pos++) {
      check(exact.fromReal(exact.toReal(pos)) === pos, "positions come back", old, pos);
      check(exact.slice(0, pos).length === exact.toReal(pos), "real offsets count real characters", old, pos);
    }

    const [a, b] = [ExactText.parse(old).doc, ExactText.parse(proposed).doc];
    check(changeBetween(a, b).apply(a).eq(b), "a diff makes the new text", old, proposed);

    // An edit told to the server in real offsets makes the same text there.
    const state = EditorState.create({ doc: exact.doc, extensions: exact.extension });
    const from = below(state.doc.length + 1);
    const to = from + below(state.doc.length - from + 1);
    const edit = state.update({ changes: { from, to, insert: state.toText(pick(["", "x", "x\ny", "\n"])) } });
    const after = ExactText.of(edit.state);
    let served = old;
    for (const [start, end, insert] of exact.realChanges(edit.changes, after).reverse()) {
      served = served.slice(0, start) + insert + served.slice(end);
    }
    check(served === after.toString(), "the server gets what the window has", old, from, to);
    const heard = exact.editorChanges(exact.realChanges(edit.changes, after));
    check(exact.apply(heard.changes, heard.marks).toString() === served, "another window gets the same", old);

    // Hunks: none rejected gives the proposal, all rejected the old text, in any order.
    const review = new ReviewState({ oldText: old, newText: proposed, draft: null });
    const view = new EditorView({ doc: review.proposed.doc, extensions: review.extension(() => {}) });
    check(review.result(view.state) === proposed, "untouched", old, proposed);
    const order = review.hunks.map((_, index) => index).sort(() => below(3) - 1);
    for (const index of order) review.decide(view, index, "rejected");
    check(ExactText.of(view.state).doc.eq(review.old.doc), "all rejected", old, proposed);
    const isSameBreaks = breaks.length === 1;
    if (isSameBreaks) check(review.result(view.state) === old, "all rejected, to the byte", old, proposed);
    for (const index of order) review.decide(view, index, "accepted");
    check(review.result(view.state) === proposed, "all accepted again", old, proposed);
    view.destroy();
    check(hunksOf(a, a).length === 0, "no hunks of the same", old);
    cases++;
  }
  return cases;
}
