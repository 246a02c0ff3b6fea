// NiceGUI 3.18 renders the whole page again at every change of any element. What stands in here
// is rendered again only when something in it changes: Vue tracks what its slot has read.
import { h } from "vue";

export default {
  inheritAttrs: false,
  props: { version: Number },
  computed: {
    content() {
      void this.version; // another version has other children
      const node = h("div", { id: this.$attrs.id, class: "sk-item" }, this.$slots.default?.());
      node.memo = []; // as v-memo does: the same node is not compared again
      return node;
    },
  },
  render() {
    return this.content;
  },
};
