// The editor of weights on the sphere.

/** Options of `card.matrices`: four heads of 3 x 3 at most, and the rule. */
export const HEADS = {
  keys: ["B", "V"],
  names: ["who listens to whom", "what is passed on"],
  heads: 4,
  size: 3,
  title: "Weights of the heads: *B*, *V*, and the rule",
  below: {
    key: "rule",
    label: "rule: how the pull is weighed",
    options: ["softmax", "unnormalised", "hardmax"].map((rule) => [rule, rule]),
  },
};
